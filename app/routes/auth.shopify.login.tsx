// The end of a request without a store, unless the tab knows the store that it opened before. There is
// no form for a store's domain: an installation starts in the store admin.
import { useTranslation } from "react-i18next";
import { useEffect } from "react";
import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useSearchParams } from "@remix-run/react";
import { recallLaunch } from "../components/frame/launch.ts";
import { PlainPage } from "../components/frame/plain-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { textOf } from "../components/i18n/translations.server.ts";

export const handle = { i18n: ["pages"] };
export const clientLoader = withTranslations(handle);

export const meta: MetaFunction<typeof loader> = ({ data }) => [{ title: data?.title }];

export const loader = ({ request }: LoaderFunctionArgs) => ({
  title: textOf(request, "pages", "login.title"),
});

export default function Login() {
  const { t } = useTranslation("pages");
  const [query] = useSearchParams();
  const back = query.get("back");
  useEffect(() => {
    const screen = back === null ? null : recallLaunch(back);
    if (screen !== null) location.replace(screen);
  }, [back]);
  return (
    <PlainPage title={t("login.title")}>
      <p>{t("login.text")}</p>
    </PlainPage>
  );
}
