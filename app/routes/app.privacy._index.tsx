// Privacy requests of customers: whose they are, how far each is, and the merchant's actions.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PrivacyScreen } from "../components/privacy/privacy-screen.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import {
  listBoard,
  readProgressMark,
  RequestFilters,
} from "../domain/compliance/board/request-list.ts";
import {
  CustomerAddress,
  isCustomerAddress,
  ManualRequest,
  markHandedOver,
  offerExport,
  requestByHand,
  RequestId,
  retryRequest,
} from "../domain/compliance/board/request-actions.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { readScreenPage } from "../http/screens/screen-page.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["privacy", "failures"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext, recordAccess } = await readScreenPage(
    args,
    "privacy",
    RequestFilters,
  );
  const [{ requests, next }, mark] = await Promise.all([
    listBoard(await forReading(ctx, tenant), tenant, filters, { limit, before: position }),
    readProgressMark(ctx, tenant),
  ]);
  const named = requests.filter(({ owner }) => owner.kind === "customer").length;
  if (named > 0) await recordAccess({ action: "listed", count: named });
  return { requests, next: toNext(next), filters, mark };
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
  look_up: {
    input: CustomerAddress,
    run: ({ ctx, tenant }, input) => isCustomerAddress(ctx, tenant, input),
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
  return <PrivacyScreen {...useLoaderData<typeof loader>()} />;
}
