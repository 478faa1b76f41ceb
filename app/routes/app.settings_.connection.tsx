// The app's connection with the store: access, the store's events, and the connected systems.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ConnectionPage } from "../components/connection/connection-page.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { isGuideDismissed, setGuideDismissed } from "../domain/merchant/setup-guide/dismissal.ts";
import {
  readConnectionState,
  readWebhooksState,
  repairWebhooks,
} from "../domain/tenants/connection-state.ts";
import { ActionFailure, defineShopActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["connection", "home"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, shop, tenant } = await authenticate.shop(args);
  const webhooks = readWebhooksState(ctx, shop, tenant);
  const [connection, isDismissed] = await Promise.all([
    readConnectionState(ctx, shop, tenant),
    tenant !== null && isGuideDismissed(ctx, tenant),
  ]);
  return { connection, isGuideDismissed: isDismissed, webhooks };
}

export const action = defineShopActions({
  repair_webhooks: {
    input: NoInput,
    run: async ({ ctx, shop }) => {
      const repair = await repairWebhooks(ctx, shop);
      if (!repair.isDone) throw new ActionFailure("webhooks_failed", repair.reason);
      return { changed: repair.changed, isRefused: repair.refused !== undefined };
    },
  },
  show_guide: { input: NoInput, run: ({ ctx, shop }) => setGuideDismissed(ctx, shop, false) },
});

export default function Connection() {
  const { t } = useTranslation(["connection", "frame"]);
  return (
    <ScreenPage
      title={t("connection.title")}
      back={{ content: t("frame:menu.settings"), to: "/app/settings" }}
    >
      <ConnectionPage {...useLoaderData<typeof loader>()} />
    </ScreenPage>
  );
}
