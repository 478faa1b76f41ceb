// The end of a request without a store. There is no form for a store's domain: an installation
// starts in the store admin.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
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
  return (
    <PlainPage title={t("login.title")}>
      <p>{t("login.text")}</p>
    </PlainPage>
  );
}
