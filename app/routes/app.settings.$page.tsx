// A page of the settings that is a form: which ones and what they hold is in settings-pages.ts.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { SettingsPage } from "../components/settings/settings-page.tsx";
import { testConnection } from "../domain/merchant/connection-tests.ts";
import { readSettingsPage } from "../domain/merchant/settings-page.ts";
import { checkHosts } from "../domain/tenants/public-hosts.ts";
import { saveSettings } from "../domain/tenants/settings/settings-form.ts";
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
  return (await readSettingsPage(ctx, tenant, args.params.page ?? "")) ?? notFound();
}

export const action = defineActions({
  save: {
    input: PostedSettings,
    run: async ({ ctx, tenant }, posted) =>
      requireSaved(await saveSettings(ctx, tenant.shop, posted, { by: "store" })),
  },
  test: {
    input: TestedSystem,
    run: ({ ctx, tenant }, { system }) => testConnection(ctx, tenant.shop, system),
  },
  check_hosts: {
    input: NoInput,
    run: async ({ ctx, tenant }) => ({ proven: await checkHosts(ctx, tenant) }),
  },
});

export default function Page() {
  const page = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage
      title={t(`pages.${page.name}.title`)}
      back={{ content: t("title"), to: "/app/settings" }}
    >
      <SettingsPage key={page.name} {...page} />
    </ScreenPage>
  );
}
