// What customers ask under privacy law: how far each request is, and what the merchant has to do about it.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Text } from "@shopify/polaris";
import { PrivacyBoard } from "../components/privacy/privacy-board.tsx";
import { PrivacyForm } from "../components/privacy/privacy-form.tsx";
import { PRIVACY_WORDS } from "../components/privacy/privacy-words.ts";
import { BesideCards } from "../components/room.tsx";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import {
  listBoard,
  ManualRequest,
  markHandedOver,
  offerExport,
  requestByHand,
  RequestFilters,
  RequestId,
  retryRequest,
} from "../domain/compliance/request-board.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { readScreenPage } from "../http/screen-page.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await readScreenPage(
    args,
    "privacy",
    RequestFilters,
  );
  const { requests, next } = await listBoard(ctx, tenant, filters, { limit, before: position });
  return { requests, next: toNext(next), filters };
}

export const action = deeds({
  retry: deed(RequestId, ({ ctx, tenant }, { id }) => retryRequest(ctx, tenant, id)),
  export: deed(RequestId, ({ ctx, tenant }, { id }) => offerExport(ctx, tenant, id)),
  handed_over: deed(RequestId, ({ ctx, tenant }, { id }) => markHandedOver(ctx, tenant, id)),
  make: deed(ManualRequest, ({ ctx, tenant }, input) => requestByHand(ctx, tenant, input)),
});

export default function PrivacyRequests() {
  const list = useLoaderData<typeof loader>();
  const words = useWords(PRIVACY_WORDS);
  return (
    <ScreenPage title={words.title} isWide>
      <BesideCards>
        <Text as="p">{words.intro}</Text>
      </BesideCards>
      <PrivacyBoard {...list} />
      <PrivacyForm />
    </ScreenPage>
  );
}
