// The setup guide inside the store admin; its buttons, here and on the app's home, post to this page.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { SetupGuideCard } from "../components/setup-guide/setup-guide-card.tsx";
import { readSetupGuide } from "../domain/merchant/setup-guide/read-guide.ts";
import { runGuideAction, reportEmbed } from "../domain/merchant/setup-guide/run-step.ts";
import { defineShopActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["setup-guide", "failures"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, shop } = await authenticate.shop(args);
  return { guide: await readSetupGuide(ctx, shop) };
}

export const action = defineShopActions({
  check_scripts: {
    input: NoInput,
    run: ({ ctx, shop }) => runGuideAction(ctx, shop, "check_scripts"),
  },
  init_tags: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "init_tags") },
  start_sync: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "start_sync") },
  check_embed: { input: NoInput, run: ({ ctx, shop }) => runGuideAction(ctx, shop, "check_embed") },
  report_embed: {
    input: z.object({ isActive: z.boolean() }),
    run: ({ ctx, shop }, { isActive }) => reportEmbed(ctx, shop, isActive),
  },
});

export default function Setup() {
  const { guide } = useLoaderData<typeof loader>();
  const { t } = useTranslation("setup-guide");
  return (
    <ScreenPage title={t("title")}>
      <SetupGuideCard
        guide={guide}
        action="/app/setup"
        settingsUrl="/app/settings/integrations"
        isEmbedded
      />
    </ScreenPage>
  );
}
