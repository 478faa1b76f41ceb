import { useTranslation } from "react-i18next";
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SettingsScreen } from "../components/settings/settings-screen.tsx";
import { standaloneMeta } from "../components/standalone/standalone-meta.ts";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { StandaloneSaveBar } from "../components/standalone/standalone-save-bar.tsx";
import { StorePicker } from "../components/standalone/store-picker.tsx";
import { testConnection } from "../domain/merchant/connection-tests.ts";
import { readStandaloneSettings } from "../domain/merchant/settings-page.ts";
import { checkHosts } from "../domain/tenants/public-hosts.ts";
import { saveSettings } from "../domain/tenants/settings/settings-form.ts";
import { getTenant } from "../domain/tenants/tenant.ts";
import { defineStandaloneActions, requireMerchant } from "../http/screens/require-merchant.ts";
import { NoInput } from "../http/screens/screen-actions.ts";
import { PostedSettings, requireSaved, TestedSystem } from "../http/screens/settings-result.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta = standaloneMeta("settings");

export const handle = { i18n: ["settings", "standalone", "failures"] };

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, gate, shop, after } = requireMerchant(args);
  const read = await readStandaloneSettings(ctx, {
    shop,
    after,
    by: gate.isPlatform ? "operator" : "store",
  });
  return data(read, read.unknown === null ? 200 : 404);
}

export const action = defineStandaloneActions({
  save: {
    input: PostedSettings,
    run: async ({ ctx, shop, gate }, posted) =>
      requireSaved(
        await saveSettings(ctx, shop, posted, { by: gate.isPlatform ? "operator" : "store" }),
      ),
  },
  test: {
    input: TestedSystem,
    run: ({ ctx, shop }, { system }) => testConnection(ctx, shop, system),
  },
  check_hosts: {
    input: NoInput,
    run: async ({ ctx, shop }) => ({ proven: await checkHosts(ctx, await getTenant(ctx, shop)) }),
  },
});

export default function Settings() {
  const read = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  if (!read.form)
    return (
      <StorePicker
        path="/settings"
        title={t("title")}
        stores={read.stores}
        unknown={read.unknown}
      />
    );
  return (
    <StandalonePage title={t("title")} shop={read.form.shop}>
      <SettingsScreen
        key={read.form.shop}
        pages={read.form.pages}
        hosts={read.form.hosts}
        action={`/settings?shop=${read.form.shop}`}
        SaveBar={StandaloneSaveBar}
      />
    </StandalonePage>
  );
}
