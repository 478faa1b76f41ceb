import {
  data,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SettingsScreen } from "../components/settings/settings-screen.tsx";
import { SETTINGS_WORDS } from "../components/settings/settings-words.ts";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { StandaloneSaveBar } from "../components/standalone/standalone-save-bar.tsx";
import { StorePicker } from "../components/standalone/store-picker.tsx";
import { useWords } from "../components/words.tsx";
import { actOnSettings, readSettingsPage } from "../domain/settings-page.ts";
import { readPost, visitStandalone } from "../http/standalone-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta: MetaFunction = () => [{ title: "Settings · Customer identity" }];

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, gate, shop, after } = visitStandalone(args);
  const read = await readSettingsPage(ctx, { shop, after, isPlatform: gate.isPlatform });
  return data(read, read.unknown === null ? 200 : 404);
}

export async function action(args: ActionFunctionArgs) {
  const post = await readPost(args);
  if (!post) return data({ outcome: "locked" as const }, 401);
  const result =
    post.shop && (await actOnSettings(post.ctx, post.shop, post.form, post.gate.isPlatform));
  if (!result) throw data(null, 400);
  return result;
}

export default function Settings() {
  const read = useLoaderData<typeof loader>();
  const { title } = useWords(SETTINGS_WORDS);
  if (!read.form)
    return (
      <StorePicker path="/settings" title={title} stores={read.stores} unknown={read.unknown} />
    );
  return (
    <StandalonePage title={title} shop={read.form.shop}>
      <SettingsScreen
        key={read.form.shop}
        sections={read.form.sections}
        hosts={read.form.hosts}
        action={`/settings?shop=${read.form.shop}`}
        SaveBar={StandaloneSaveBar}
      />
    </StandalonePage>
  );
}
