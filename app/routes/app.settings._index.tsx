// The index of the settings.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { SettingsIndex } from "../components/settings/settings-index.tsx";
import { readSettingsIndex } from "../domain/merchant/settings-index.ts";
import { SETTINGS_ANCHORS } from "../domain/tenants/settings/settings-pages.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return { pages: await readSettingsIndex(ctx, tenant), anchors: SETTINGS_ANCHORS };
}

export default function Settings() {
  const { t } = useTranslation("settings");
  return (
    <ScreenPage title={t("title")}>
      <SettingsIndex {...useLoaderData<typeof loader>()} />
    </ScreenPage>
  );
}
