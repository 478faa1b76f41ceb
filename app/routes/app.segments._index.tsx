import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { SegmentsScreen } from "../components/segments/segments-screen.tsx";
import { ActionRunInput } from "../domain/customers/bulk/run-inputs.ts";
import { countSegments } from "../domain/customers/segments/count-segments.ts";
import {
  deleteSegment,
  DeletedSegment,
  RenamedSegment,
  renameSegment,
} from "../domain/customers/segments/edit-segments.ts";
import { readSegmentScreen } from "../domain/customers/segments/list-segments.ts";
import { bulkRunActions } from "../domain/merchant/bulk-run-actions.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["segments", "customers"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return readSegmentScreen(await forReading(ctx, tenant), tenant);
}

/** Other changes are made in the list of customers, where they are seen first. */
const ProfileRunInput = ActionRunInput.refine(({ kind }) => kind === "profile", { path: ["kind"] });

export const action = defineActions({
  count: { input: NoInput, run: ({ ctx, tenant }) => countSegments(ctx, tenant) },
  rename: {
    input: RenamedSegment,
    run: ({ ctx, tenant }, segment) => renameSegment(ctx, tenant, segment),
  },
  delete: {
    input: DeletedSegment,
    run: ({ ctx, tenant }, segment) => deleteSegment(ctx, tenant, segment),
  },
  ...bulkRunActions(ProfileRunInput),
});

export default function Segments() {
  return <SegmentsScreen {...useLoaderData<typeof loader>()} />;
}
