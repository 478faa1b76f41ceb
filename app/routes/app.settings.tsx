import {
  data,
  type ActionFunctionArgs,
  type HeadersFunction,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { TitleBar } from "@shopify/app-bridge-react";
import { Page } from "@shopify/polaris";
import { boundary } from "@shopify/shopify-app-remix/server";
import { EmbeddedSaveBar } from "../components/settings/embedded-save-bar.tsx";
import { SettingsScreen } from "../components/settings/settings-screen.tsx";
import { SETTINGS_WORDS } from "../components/settings/settings-words.ts";
import { useWords } from "../components/words.tsx";
import { actOnSettings } from "../domain/settings-page.ts";
import { readSettingsForm } from "../domain/tenants/settings-form.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return readSettingsForm(ctx, tenant.shop, false);
}

export async function action(args: ActionFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const result = await actOnSettings(ctx, tenant.shop, await args.request.formData(), false);
  if (!result) throw data(null, 400);
  return result;
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Settings() {
  const { sections, hosts } = useLoaderData<typeof loader>();
  const { title } = useWords(SETTINGS_WORDS);
  return (
    <>
      <TitleBar title={title} />
      <Page>
        <SettingsScreen
          sections={sections}
          hosts={hosts}
          action="/app/settings"
          SaveBar={EmbeddedSaveBar}
        />
      </Page>
    </>
  );
}
