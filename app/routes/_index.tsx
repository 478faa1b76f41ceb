import { useTranslation } from "react-i18next";
import { redirect, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { PlainPage } from "../components/frame/plain-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { textOf } from "../components/i18n/translations.server.ts";

export const handle = { i18n: ["pages"] };
export const clientLoader = withTranslations(handle);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data?.title },
  { name: "description", content: data?.description },
];

/** A launch's parameters for the page; its signature is for this URL only and is not passed on. */
const LAUNCH_PARAMETERS = ["shop", "host", "embedded", "locale"];

export function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const launch = [...searchParams].filter(([name]) => LAUNCH_PARAMETERS.includes(name));
  if (searchParams.has("shop")) throw redirect(`/app?${new URLSearchParams(launch)}`);
  return {
    title: textOf(request, "pages", "landing.title"),
    description: textOf(request, "pages", "landing.description"),
  };
}

export default function Landing() {
  const { t } = useTranslation("pages");
  return (
    <PlainPage title={t("landing.title")}>
      <p>{t("landing.text")}</p>
      <ul>
        <li>{t("landing.points.signIn")}</li>
        <li>{t("landing.points.consent")}</li>
        <li>{t("landing.points.sync")}</li>
      </ul>
      <p>{t("landing.begin")}</p>
      <p>
        <a href="/privacy">{t("landing.privacy")}</a>
      </p>
    </PlainPage>
  );
}
