// What the merchant's list of customers reads for one address of it, and what its buttons do.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { readFilter } from "./customer-filter.ts";
import { deleteView, listViews, saveView, ViewInput } from "./customer-views.ts";
import { readFilterChoices } from "./filter-choices.ts";
import { listCustomers, SORTS, type Sort } from "./list-customers.ts";
import { readSyncProgress, requestSync } from "./sync-request.ts";
import { findOpenTagRun, findTagRun, previewTagRun, startTagRun, TagRunInput } from "./tag-runs.ts";

const PAGE = 50;

export async function readCustomerList(ctx: Ctx, tenant: Tenant, query: URLSearchParams) {
  const filter = readFilter(query);
  const sort: Sort = SORTS.find((known) => known === query.get("sort")) ?? "updated desc";
  const [page, choices, views, run] = await Promise.all([
    listCustomers(ctx, tenant, { filter, sort, limit: PAGE, after: query.get("after"), before: query.get("before") }),
    readFilterChoices(ctx, tenant),
    listViews(ctx, tenant),
    findOpenTagRun(ctx, tenant),
  ]);
  return { filter, sort, page, choices, views, run, sync: page.customers.length === 0 ? await readSyncProgress(ctx, tenant) : null };
}

export const ListAction = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("sync") }),
  z.object({ intent: z.literal("view.save"), view: ViewInput }),
  z.object({ intent: z.literal("view.delete"), name: z.string().max(40) }),
  z.object({ intent: z.literal("tags.preview"), run: TagRunInput }),
  z.object({ intent: z.literal("tags.start"), run: TagRunInput }),
  z.object({ intent: z.literal("tags.state"), id: z.string().max(40) }),
]);

export async function performListAction(ctx: Ctx, tenant: Tenant, asked: z.output<typeof ListAction>) {
  switch (asked.intent) {
    case "sync":
      await requestSync(ctx, tenant.shop);
      return { intent: asked.intent };
    case "view.save":
      if (!(await saveView(ctx, tenant, asked.view))) throw new AppError("conflict");
      return { intent: asked.intent };
    case "view.delete":
      await deleteView(ctx, tenant, asked.name);
      return { intent: asked.intent };
    case "tags.preview":
      return { intent: asked.intent, preview: await previewTagRun(ctx, tenant, asked.run) };
    case "tags.start":
      return { intent: asked.intent, run: await startTagRun(ctx, tenant, asked.run) };
    case "tags.state":
      return { intent: asked.intent, run: await findTagRun(ctx, tenant, asked.id) };
  }
}
