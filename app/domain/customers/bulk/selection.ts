// The customers that an export or a bulk change means: the selected ones, or all of a filter or a segment.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { getSegment, SegmentId, type Segment } from "../segments/segment.ts";
import { IS_SENT, type Audience } from "../segments/profile-audience.ts";
import { CustomerFilter } from "../list/customer-filter.ts";
import { conditionOf, prepareFilter, type Condition } from "../list/filter-condition.ts";
import type { ActionRunInput } from "./run-inputs.ts";
import type { BulkKind } from "./run-row.ts";

const MAX_NAMED = 1_000;

export const CustomerSelection = z.union([
  z.object({ ids: z.array(z.number().int().positive().max(2_147_483_647)).min(1).max(MAX_NAMED) }),
  /** `version`: as it was shown. One that somebody has changed since may mean other customers. */
  z.object({ segment: SegmentId, version: z.number().int().positive().optional() }),
  z.object({ filter: CustomerFilter }),
]);
export type CustomerSelection = z.output<typeof CustomerSelection>;
export type FixedCustomers = Exclude<CustomerSelection, { segment: string }>;

/**
 * From the query of a download: `ids` separated by commas, `segment`, or the filter of the list. Null for
 * invalid ids: a file of all customers would not be what was meant.
 */
export function readSelection(query: URLSearchParams): CustomerSelection | null {
  const ids = query.get("ids")?.split(",").map(Number);
  const segment = query.get("segment");
  const shown = segment === null ? { filter: Object.fromEntries(query) } : { segment };
  return CustomerSelection.safeParse(ids ? { ids } : shown).data ?? null;
}

/** Throws `not_found`, and `conflict` for another version than the one that was shown. */
async function getSelected(
  ctx: Ctx,
  tenant: Tenant,
  { segment: id, version: shown }: Extract<CustomerSelection, { segment: string }>,
): Promise<Segment> {
  const segment = await getSegment(ctx, tenant, id);
  if (shown !== undefined && shown !== segment.version)
    throw new AppError("conflict", { fields: { version: "somebody has changed it" } });
  return segment;
}

/** `segment`: the one that was selected. */
export type FixedSelection = { selection: FixedCustomers; segment: Audience | null };

/**
 * A file means whom its segment means when it begins, a run whom it means when it is confirmed; also when
 * the segment is changed or deleted since.
 * Throws like `getSelected`.
 */
export async function fixSelection(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
): Promise<FixedSelection> {
  if (!("segment" in selection)) return { selection, segment: null };
  const { id, name, filter } = await getSelected(ctx, tenant, selection);
  return { selection: { filter }, segment: { id, name } };
}

/** Over `storefront_users u`; values from `$<first>`. Throws like `getSelected`. */
export async function selectionOf(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  first: number,
): Promise<Condition> {
  if ("ids" in selection)
    return {
      sql: `u.shop = $1 AND u.status <> 'deleted' AND u.id = ANY($${first}::int[])`,
      values: [selection.ids],
    };
  const { filter } = "segment" in selection ? await getSelected(ctx, tenant, selection) : selection;
  return conditionOf(await prepareFilter(ctx, tenant, filter), first);
}

const LIVING = "u.status <> 'deleted'";

/** Whom an action changes; it leaves the others as they are. */
export const CHANGED_BY: Record<ActionRunInput["kind"], string> = {
  suspend: "u.status = 'active'",
  reactivate: "u.status = 'suspended'",
  data_request: "(u.email IS NOT NULL OR u.storefront_customer_gid IS NOT NULL)",
  erase: "(u.email IS NOT NULL OR u.storefront_customer_gid IS NOT NULL)",
  profile: IS_SENT,
};

/** The condition of what a run still has to change: whom it changed already is no longer meant. */
export const changedBy = (kind: BulkKind): string =>
  kind === "tags" || kind === "rules" ? LIVING : `${LIVING} AND ${CHANGED_BY[kind]}`;

export async function countSelected(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  conditions: readonly string[] = [],
  values: readonly number[] = [],
): Promise<number> {
  const condition = await selectionOf(ctx, tenant, selection, 2 + values.length);
  const [row] = await dataOf(ctx, tenant).sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM storefront_users u
      WHERE ${[condition.sql, LIVING, ...conditions].join(" AND ")}`,
    [...values, ...condition.values],
  );
  return row?.count ?? 0;
}

/** The ids that a change or a file concerns, for the access log. Empty when a filter selects the customers. */
export async function listSelectedCustomerIds(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  kind: BulkKind = "tags",
): Promise<number[]> {
  if (!("ids" in selection)) return [];
  const condition = await selectionOf(ctx, tenant, selection, 2);
  const found = await dataOf(ctx, tenant).sql<Columns<StorefrontUser, "id">>(
    `SELECT u.id FROM storefront_users u WHERE ${condition.sql} AND ${changedBy(kind)}`,
    condition.values,
  );
  return found.map(({ id }) => id);
}
