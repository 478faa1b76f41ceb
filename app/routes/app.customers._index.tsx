import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { CustomersScreen } from "../components/customers/list/customers-screen.tsx";
import { cancelRun, CancelledRun } from "../domain/customers/bulk/cancel-run.ts";
import { ActionRunInput } from "../domain/customers/bulk/run-inputs.ts";
import { readCustomerList } from "../domain/customers/list/list-screen.ts";
import {
  ChangedSegment,
  changeSegment,
  createSegment,
  NewSegment,
} from "../domain/customers/segments/edit-segments.ts";
import { requestSync } from "../domain/customers/sync/sync-request.ts";
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

export const handle = { i18n: ["customers"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const query = new URL(args.request.url).searchParams;
  const list = await readCustomerList(await forReading(ctx, tenant), tenant, query);
  await recordAccess({ action: "listed", count: list.page.customers.length });
  return list;
}

export const action = defineActions({
  sync: { input: NoInput, run: ({ ctx, tenant }) => requestSync(ctx, tenant.shop) },
  create_segment: {
    input: NewSegment,
    run: ({ ctx, tenant }, segment) => createSegment(ctx, tenant, segment),
  },
  change_segment: {
    input: ChangedSegment,
    run: ({ ctx, tenant }, change) => changeSegment(ctx, tenant, change),
  },
  ...bulkRunActions(ActionRunInput),
  cancel_run: {
    input: CancelledRun,
    run: async ({ ctx, tenant }, { id }) => ({ run: await cancelRun(ctx, tenant, id) }),
  },
});

export default function Customers() {
  return <CustomersScreen {...useLoaderData<typeof loader>()} />;
}
