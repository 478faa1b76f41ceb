import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { EmbeddedSaveBar } from "../components/settings/embedded-save-bar.tsx";
import { SettingsScreen } from "../components/settings/settings-screen.tsx";
import { testConnection } from "../domain/merchant/connection-tests.ts";
import { checkHosts } from "../domain/tenants/public-hosts.ts";
import { readSettingsForm, saveSettings } from "../domain/tenants/settings/settings-form.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { requireSaved } from "../http/screens/settings-result.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return readSettingsForm(ctx, tenant.shop, false);
}

export const action = defineActions({
  save: {
    input: z.object({ fields: z.string() }),
    run: async ({ ctx, tenant }, { fields }) =>
      requireSaved(await saveSettings(ctx, tenant.shop, fields, false)),
  },
  test: {
    input: z.object({ system: z.string().max(40) }),
    run: ({ ctx, tenant }, { system }) => testConnection(ctx, tenant.shop, system),
  },
  check_hosts: {
    input: NoInput,
    run: async ({ ctx, tenant }) => ({ proven: await checkHosts(ctx, tenant) }),
  },
});

export default function Settings() {
  const { sections, hosts } = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage title={t("title")}>
      <SettingsScreen
        sections={sections}
        hosts={hosts}
        action="/app/settings"
        SaveBar={EmbeddedSaveBar}
      />
    </ScreenPage>
  );
}
