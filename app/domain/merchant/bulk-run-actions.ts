// The actions of a screen whose dialogs change many customers: the list of customers, and the segments.
import type { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { AccessAction } from "../compliance/access-log/record-access.ts";
import { previewAction, previewTagRun, toConfirmable } from "../customers/bulk/preview-run.ts";
import { TagRunInput, type ActionRunInput } from "../customers/bulk/run-inputs.ts";
import { listSelectedCustomerIds } from "../customers/bulk/selection.ts";
import { startAction, startTagRun } from "../customers/bulk/start-run.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** The store of the screen, who works there, and the access log. */
type Screen = {
  ctx: Ctx;
  tenant: Tenant;
  staffId: string | null;
  recordAccess(access: {
    action: AccessAction;
    userIds?: readonly number[];
    count?: number;
  }): Promise<unknown>;
};

const ACCESS_OF = {
  suspend: "changed",
  reactivate: "changed",
  data_request: "exported",
  erase: "erased",
  profile: "exported",
} as const;

/** `actionInput` says which changes besides tags the screen offers. */
export const bulkRunActions = (actionInput: z.ZodType<ActionRunInput>) => ({
  preview_tags: {
    input: TagRunInput,
    run: async ({ ctx, tenant }: Screen, input: TagRunInput) =>
      toConfirmable(ctx, await previewTagRun(ctx, tenant, input)),
  },
  start_tags: {
    input: TagRunInput,
    async run({ ctx, tenant, staffId, recordAccess }: Screen, input: TagRunInput) {
      const run = await startTagRun(ctx, tenant, input, staffId);
      await recordAccess({ action: "changed", count: run.total });
      return { run };
    },
  },
  preview_action: {
    input: actionInput,
    run: async ({ ctx, tenant }: Screen, input: ActionRunInput) =>
      toConfirmable(ctx, await previewAction(ctx, tenant, input)),
  },
  start_action: {
    input: actionInput,
    async run({ ctx, tenant, staffId, recordAccess }: Screen, input: ActionRunInput) {
      const userIds = await listSelectedCustomerIds(ctx, tenant, input.selection, input.kind);
      const run = await startAction(ctx, tenant, input, staffId);
      await recordAccess({
        action: ACCESS_OF[input.kind],
        ...(userIds.length > 0 ? { userIds } : { count: run.total }),
      });
      return { run };
    },
  },
});
