import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { SetupScreen } from "../components/standalone/setup-screen.tsx";
import { standaloneMeta } from "../components/standalone/standalone-meta.ts";
import { StandalonePage } from "../components/standalone/standalone-frame.tsx";
import { readSetupState } from "../domain/merchant/setup-state.ts";
import {
  readPlatformForm,
  savePlatformSettings,
} from "../domain/tenants/settings/settings-form.ts";
import { defineOperatorActions, requireMerchant } from "../http/screens/require-merchant.ts";
import { requireSaved } from "../http/screens/settings-result.ts";
import { AppError } from "../runtime/errors.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { StandaloneProblem as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const meta = standaloneMeta("setup");

export const handle = { i18n: ["settings", "standalone"] };

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, gate, after } = requireMerchant(args);
  return {
    ...(await readSetupState(ctx, after)),
    platform: await readPlatformForm(ctx, gate.isPlatform),
    isPlatform: gate.isPlatform,
  };
}

export const action = defineOperatorActions({
  save: {
    input: z.object({ fields: z.string() }),
    run: async ({ ctx, gate }, { fields }) => {
      // The settings shared by all stores require ADMIN_KEY, as on /platform/config.
      if (!gate.isPlatform) throw new AppError("forbidden");
      requireSaved(await savePlatformSettings(ctx, fields));
    },
  },
});

export default function Setup() {
  const state = useLoaderData<typeof loader>();
  const { t } = useTranslation("standalone");
  return (
    <StandalonePage title={t("setup.title")} shop={null}>
      <SetupScreen {...state} />
    </StandalonePage>
  );
}
