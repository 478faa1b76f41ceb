// One privacy request: what was done for it in each system, when, and with what proof.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RequestScreen } from "../components/privacy/request-screen.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { findBoardRequest, readProgressMark } from "../domain/compliance/board/request-list.ts";
import { notFound, rowNumber } from "../http/screens/screen-address.ts";
import { authenticate } from "../shopify.server.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";
export { action } from "./app.privacy._index.tsx";

export const handle = { i18n: ["privacy", "failures"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const [found, mark] = await Promise.all([
    findBoardRequest(ctx, tenant, rowNumber(args.params.id)),
    readProgressMark(ctx, tenant),
  ]);
  const request = found ?? notFound();
  const { owner } = request;
  if (owner.kind === "customer")
    await recordAccess({
      action: "viewed",
      userIds: owner.userId === null ? [] : [owner.userId],
    });
  return { request, mark };
}

export default function PrivacyRequest() {
  return <RequestScreen {...useLoaderData<typeof loader>()} />;
}
