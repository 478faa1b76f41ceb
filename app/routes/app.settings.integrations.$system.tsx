// One system that the store connects: its settings, the test, and the end of the connection.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { IntegrationScreen } from "../components/settings/integration-screen.tsx";
import { testConnection } from "../domain/merchant/connection-tests.ts";
import {
  disconnectIntegration,
  readIntegration,
  saveIntegration,
} from "../domain/merchant/integrations.ts";
import { notFound } from "../http/screens/screen-address.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { PostedSettings, requireSaved, TestedSystem } from "../http/screens/settings-result.ts";
import { authenticate } from "../shopify.server.ts";

export {
  clientAction,
  clientLoader,
  ErrorBoundary,
  handle,
  headers,
  shouldRevalidate,
} from "../components/settings/settings-route.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return (await readIntegration(ctx, tenant, args.params.system ?? "")) ?? notFound();
}

export const action = defineActions({
  save: {
    input: PostedSettings,
    run: async ({ ctx, tenant, params }, posted) =>
      requireSaved(await saveIntegration(ctx, tenant, params.system ?? "", posted)),
  },
  test: {
    input: TestedSystem,
    run: ({ ctx, tenant }, { system }) => testConnection(ctx, tenant.shop, system),
  },
  disconnect: {
    input: NoInput,
    run: ({ ctx, tenant, params }) => disconnectIntegration(ctx, tenant, params.system ?? ""),
  },
});

export default function Integration() {
  const integration = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage
      title={t(`cards.${integration.name}.title`)}
      back={{ content: t("pages.integrations.title"), to: "/app/settings/integrations" }}
    >
      <IntegrationScreen key={integration.name} {...integration} />
    </ScreenPage>
  );
}
