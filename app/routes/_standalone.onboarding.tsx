import {
  data,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SetupGuideCard } from "../components/setup-guide/setup-guide-card.tsx";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { STANDALONE_WORDS } from "../components/standalone/standalone-words.ts";
import { StorePicker } from "../components/standalone/store-picker.tsx";
import { useWords } from "../components/words.tsx";
import { actOnGuide, isGuideIntent, readSetupGuide } from "../domain/setup-guide.ts";
import { listStores } from "../domain/setup-state.ts";
import { readPost, visitStandalone } from "../http/standalone-visit.ts";

export { keepWhenLocked as shouldRevalidate } from "../components/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta: MetaFunction = () => [{ title: "Onboarding · Customer identity" }];

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, shop, after } = visitStandalone(args);
  // A store that nobody knows yet is welcome here: its first step is to connect.
  return shop
    ? { guide: await readSetupGuide(ctx, shop), stores: null }
    : { guide: null, stores: await listStores(ctx, after) };
}

export async function action(args: ActionFunctionArgs) {
  const post = await readPost(args);
  if (!post) return data({ outcome: "locked" as const }, 401);
  const intent = post.form.get("intent");
  if (!post.shop || !isGuideIntent(intent)) throw data(null, 400);
  return actOnGuide(post.ctx, post.shop, intent);
}

export default function Onboarding() {
  const { guide, stores } = useLoaderData<typeof loader>();
  const { nav } = useWords(STANDALONE_WORDS);
  if (!guide) return <StorePicker path="/onboarding" title={nav.onboarding} stores={stores} />;
  return (
    <StandalonePage title={nav.onboarding} shop={guide.shop}>
      <SetupGuideCard
        key={guide.shop}
        guide={guide}
        action={`/onboarding?shop=${guide.shop}`}
        settingsUrl={`/settings?shop=${guide.shop}`}
        isEmbedded={false}
      />
    </StandalonePage>
  );
}
