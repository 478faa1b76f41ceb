import {
  data,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SetupScreen } from "../components/standalone/setup-screen.tsx";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { STANDALONE_WORDS } from "../components/standalone/standalone-words.ts";
import { useWords } from "../components/words.tsx";
import { readSetupState } from "../domain/setup-state.ts";
import { readPlatformForm, savePlatformSettings } from "../domain/tenants/settings-form.ts";
import { readPost, visitStandalone } from "../http/standalone-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta: MetaFunction = () => [{ title: "Setup · Customer identity" }];

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, gate, after } = visitStandalone(args);
  return {
    ...(await readSetupState(ctx, after)),
    platform: await readPlatformForm(ctx, gate.isPlatform),
    isPlatform: gate.isPlatform,
  };
}

export async function action(args: ActionFunctionArgs) {
  const post = await readPost(args);
  if (!post) return data({ outcome: "locked" as const }, 401);
  if (post.form.get("intent") !== "save") throw data(null, 400);
  // What all stores share is ADMIN_KEY's alone, as it is on /platform/config.
  if (!post.gate.isPlatform) throw data(null, 403);
  return savePlatformSettings(post.ctx, post.form.get("fields"));
}

export default function Setup() {
  const state = useLoaderData<typeof loader>();
  const { setup } = useWords(STANDALONE_WORDS);
  return (
    <StandalonePage title={setup.title} shop={null}>
      <SetupScreen {...state} />
    </StandalonePage>
  );
}
