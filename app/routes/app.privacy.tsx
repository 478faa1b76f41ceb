// Privacy requests of customers: the progress of each, and the merchant's actions.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Text } from "@shopify/polaris";
import { AccessLogButton } from "../components/privacy/access-log-button.tsx";
import { useState } from "react";
import { PrivacyBoard } from "../components/privacy/privacy-board.tsx";
import { PrivacyDialog } from "../components/privacy/privacy-dialog.tsx";
import { PageGutter } from "../components/ui/layout.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import {
  listBoard,
  ManualRequest,
  markHandedOver,
  offerExport,
  requestByHand,
  RequestFilters,
  RequestId,
  retryRequest,
} from "../domain/compliance/request-list.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { readScreenPage } from "../http/screens/screen-page.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["privacy"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await readScreenPage(
    args,
    "privacy",
    RequestFilters,
  );
  const { requests, next } = await listBoard(ctx, tenant, filters, { limit, before: position });
  return { requests, next: toNext(next), filters };
}

export const action = defineActions({
  retry: { input: RequestId, run: ({ ctx, tenant }, { id }) => retryRequest(ctx, tenant, id) },
  export: {
    input: RequestId,
    async run({ ctx, tenant, recordAccess }, { id }) {
      const { url, userIds } = await offerExport(ctx, tenant, id);
      await recordAccess({ action: "exported", userIds });
      return { url };
    },
  },
  handed_over: {
    input: RequestId,
    run: ({ ctx, tenant }, { id }) => markHandedOver(ctx, tenant, id),
  },
  make: {
    input: ManualRequest,
    async run({ ctx, tenant, recordAccess }, input) {
      const { id, userIds } = await requestByHand(ctx, tenant, input);
      // A data request is recorded when its export is handed over.
      if (input.kind === "customer_redact") await recordAccess({ action: "erased", userIds });
      return { id };
    },
  },
});

export default function PrivacyRequests() {
  const list = useLoaderData<typeof loader>();
  const { t } = useTranslation("privacy");
  const [isStarting, setIsStarting] = useState(false);
  return (
    <>
      <ScreenPage
        title={t("title")}
        isWide
        actions={
          <>
            <button variant="primary" onClick={() => setIsStarting(true)}>
              {t("make.title")}
            </button>
            <AccessLogButton />
          </>
        }
      >
        <PageGutter>
          <Text as="p">{t("intro")}</Text>
        </PageGutter>
        <PrivacyBoard {...list} />
      </ScreenPage>
      {isStarting && <PrivacyDialog onClose={() => setIsStarting(false)} />}
    </>
  );
}
