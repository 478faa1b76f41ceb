// Which scripts of others the store's pages contain, which of them do not wait for consent, and which are held back.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { StorefrontScreen } from "../components/consent/storefront/storefront-screen.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { useJobProgress } from "../components/hooks/use-job-progress.ts";
import { useScreenAction } from "../components/hooks/use-screen-action.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";
import {
  BlockedVendorChoice,
  chooseVendor,
  switchBlocking,
  SwitchedBlocking,
} from "../domain/storefront-check/blocking-settings.ts";
import {
  readStorefrontCheck,
  startStorefrontCheck,
} from "../domain/storefront-check/storefront-check.ts";
import { switchWeeklyCheck } from "../domain/storefront-check/weekly-check.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent", "storefront-check"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return readStorefrontCheck(ctx, tenant);
}

export const action = defineActions({
  check: { input: NoInput, run: ({ ctx, tenant }) => startStorefrontCheck(ctx, tenant) },
  weekly: {
    input: z.object({ is_on: z.boolean() }),
    async run({ ctx, tenant }, { is_on: isOn }) {
      await switchWeeklyCheck(ctx, tenant, isOn);
      return { is_on: isOn };
    },
  },
  blocking: {
    input: SwitchedBlocking,
    async run({ ctx, tenant }, input) {
      await switchBlocking(ctx, tenant, input);
      return { is_on: input.is_on };
    },
  },
  vendor: {
    input: BlockedVendorChoice,
    async run({ ctx, tenant }, input) {
      await chooseVendor(ctx, tenant, input);
      return { waits: input.waits };
    },
  },
});

export default function StorefrontCheck() {
  const { t } = useTranslation("storefront-check");
  const { run: known, ...stored } = useLoaderData<typeof loader>();
  const run = useJobProgress(known, "/app/consent/storefront/progress");
  const { submit, isBusy, error } = useScreenAction("check");
  const isRunning = isBusy || run?.state === "running";
  return (
    <ScreenPage
      title={t("title")}
      nav={<ConsentSections />}
      actions={
        <button variant="primary" disabled={isRunning} onClick={() => submit()}>
          {t("button")}
        </button>
      }
    >
      <StorefrontScreen
        run={run}
        {...stored}
        isStarting={isBusy}
        error={error?.message ?? null}
        onCheck={() => submit()}
      />
    </ScreenPage>
  );
}
