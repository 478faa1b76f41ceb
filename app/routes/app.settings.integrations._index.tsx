// The systems that the store connects.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { IntegrationsCard } from "../components/settings/integrations-card.tsx";
import { readIntegrationList } from "../domain/merchant/integrations.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return readIntegrationList(ctx, tenant);
}

export default function Integrations() {
  const { t } = useTranslation("settings");
  return (
    <ScreenPage
      title={t("pages.integrations.title")}
      back={{ content: t("title"), to: "/app/settings" }}
    >
      <IntegrationsCard {...useLoaderData<typeof loader>()} />
    </ScreenPage>
  );
}
