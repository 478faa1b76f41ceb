// A merchant's saved views of the customer list: a name, filters and a sort order. The search text
// is not saved: it may be a person's name or address, and would outlive that person's erasure.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { compareAndSetKey, getKey, KEYS, putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { CustomerFilter } from "./customer-filter.ts";
import { SORTS } from "./list-customers.ts";

const MAX_VIEWS = 20;
const TRIES = 5;

export const View = z.object({
  name: z.string().trim().min(1).max(40),
  filter: CustomerFilter.omit({ q: true }),
  sort: z.enum(SORTS).catch("updated desc"),
});
export type SavedView = z.output<typeof View>;

const Stored = z.array(View).catch([]);

export async function listViews(ctx: Ctx, tenant: Tenant): Promise<SavedView[]> {
  return Stored.parse((await getKey(dataOf(ctx, tenant).sql, KEYS.customerViews))?.value ?? []);
}

/** Throws `conflict` when the name exists or the limit is reached. */
export async function saveView(ctx: Ctx, tenant: Tenant, view: SavedView): Promise<void> {
  await changeViews(ctx, tenant, (views) =>
    views.length < MAX_VIEWS &&
    !views.some(({ name }) => name.toLowerCase() === view.name.toLowerCase())
      ? [...views, view]
      : null,
  );
}

export async function deleteView(
  ctx: Ctx,
  tenant: Tenant,
  { name }: Pick<SavedView, "name">,
): Promise<void> {
  await changeViews(ctx, tenant, (views) => views.filter((view) => view.name !== name));
}

export const RenamedView = z.object({ name: z.string().max(40), to: View.shape.name });

/** Throws `conflict` when the new name exists, or the view does not. */
export async function renameView(
  ctx: Ctx,
  tenant: Tenant,
  { name, to }: z.output<typeof RenamedView>,
): Promise<void> {
  await changeViews(ctx, tenant, (views) =>
    views.some((view) => view.name === name) &&
    !views.some((view) => view.name !== name && view.name.toLowerCase() === to.toLowerCase())
      ? views.map((view) => (view.name === name ? { ...view, name: to } : view))
      : null,
  );
}

/** Two concurrent saves are both kept. */
async function changeViews(
  ctx: Ctx,
  tenant: Tenant,
  change: (views: SavedView[]) => SavedView[] | null,
): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const stored = await getKey(sql, KEYS.customerViews);
    const changed = change(Stored.parse(stored?.value ?? []));
    if (!changed) break;
    if (
      stored
        ? await compareAndSetKey(sql, KEYS.customerViews, stored.version, changed)
        : await putKeyIfAbsent(sql, KEYS.customerViews, changed)
    )
      return;
  }
  throw new AppError("conflict");
}
