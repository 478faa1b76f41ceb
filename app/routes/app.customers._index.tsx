import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { CustomersScreen } from "../components/customers/list/customers-screen.tsx";
import { cancelRun, CancelledRun } from "../domain/customers/bulk/cancel-run.ts";
import {
  previewAction,
  previewTagRun,
  toConfirmable,
} from "../domain/customers/bulk/preview-run.ts";
import { ActionRunInput, TagRunInput } from "../domain/customers/bulk/run-inputs.ts";
import { listSelectedCustomerIds } from "../domain/customers/bulk/selection.ts";
import { startAction, startTagRun } from "../domain/customers/bulk/start-run.ts";
import { readCustomerList } from "../domain/customers/list/list-screen.ts";
import {
  ChangedSegment,
  changeSegment,
  createSegment,
  NewSegment,
} from "../domain/customers/segments/edit-segments.ts";
import { requestSync } from "../domain/customers/sync/sync-request.ts";
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

const ACCESS_OF = {
  suspend: "changed",
  reactivate: "changed",
  data_request: "exported",
  erase: "erased",
  profile: "exported",
} as const;

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
  preview_tags: {
    input: TagRunInput,
    run: async ({ ctx, tenant }, run) => toConfirmable(ctx, await previewTagRun(ctx, tenant, run)),
  },
  start_tags: {
    input: TagRunInput,
    async run({ ctx, tenant, staffId, recordAccess }, input) {
      const run = await startTagRun(ctx, tenant, input, staffId);
      await recordAccess({ action: "changed", count: run.total });
      return { run };
    },
  },
  preview_action: {
    input: ActionRunInput,
    run: async ({ ctx, tenant }, input) =>
      toConfirmable(ctx, await previewAction(ctx, tenant, input)),
  },
  start_action: {
    input: ActionRunInput,
    async run({ ctx, tenant, staffId, recordAccess }, input) {
      const userIds = await listSelectedCustomerIds(ctx, tenant, input.selection, input.kind);
      const run = await startAction(ctx, tenant, input, staffId);
      await recordAccess({
        action: ACCESS_OF[input.kind],
        ...(userIds.length > 0 ? { userIds } : { count: run.total }),
      });
      return { run };
    },
  },
  cancel_run: {
    input: CancelledRun,
    run: async ({ ctx, tenant }, { id }) => ({ run: await cancelRun(ctx, tenant, id) }),
  },
});

export default function Customers() {
  return <CustomersScreen {...useLoaderData<typeof loader>()} />;
}
