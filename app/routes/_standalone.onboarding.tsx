import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SetupGuideCard } from "../components/setup-guide/setup-guide-card.tsx";
import { standaloneMeta } from "../components/standalone/standalone-meta.ts";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { StorePicker } from "../components/standalone/store-picker.tsx";
import { readSetupGuide } from "../domain/merchant/setup-guide/read-guide.ts";
import { runGuideAction } from "../domain/merchant/setup-guide/run-step.ts";
import { listStores } from "../domain/merchant/setup-state.ts";
import { defineStandaloneActions, requireMerchant } from "../http/screens/require-merchant.ts";
import { NoInput } from "../http/screens/screen-actions.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta = standaloneMeta("onboarding");

export const handle = { i18n: ["setup-guide", "standalone", "failures"] };

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, shop, after } = requireMerchant(args);
  // An unregistered store is shown too: its first step is to connect.
  return shop
    ? { guide: await readSetupGuide(ctx, shop), stores: null }
    : { guide: null, stores: await listStores(ctx, after) };
}

export const action = defineStandaloneActions({
  check_scripts: {
    input: NoInput,
    run: ({ ctx, shop }) => runGuideAction(ctx, shop, "check_scripts"),
  },
  init_tags: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "init_tags") },
  start_sync: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "start_sync") },
  check_embed: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "check_embed") },
  confirm_embed: {
    input: NoInput,
    run: ({ ctx, shop }) => runGuideAction(ctx, shop, "confirm_embed"),
  },
});

export default function Onboarding() {
  const { guide, stores } = useLoaderData<typeof loader>();
  const { t } = useTranslation("standalone");
  if (!guide) return <StorePicker path="/onboarding" title={t("nav.onboarding")} stores={stores} />;
  return (
    <StandalonePage title={t("nav.onboarding")} shop={guide.shop}>
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
