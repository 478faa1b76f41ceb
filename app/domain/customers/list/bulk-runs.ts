// One change for many customers: first a preview, then a run in slices by the worker, with progress.
// Each customer is changed by the same function as a single one, never by a whole list. The table is
// still named after the first kind, so that a process of an earlier version can work beside this one.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TagRun, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { defineTag } from "../../tags/catalog.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { IS_SENT, PROFILE_CHANNEL } from "../segments/profile-audience.ts";
import {
  CustomerSelection,
  fixSelection,
  selectionOf,
  type FixedSelection,
} from "./customer-selection.ts";
import { hasRemovableTag, hasTag, tagIdOf } from "./filter-condition.ts";

const MAX_TAGS = 10;
/** Each data request is answered by a mail to the merchant, each erasure by calls to every system. */
const MAX_CUSTOMERS: Partial<Record<string, number>> = { data_request: 250, erase: 10_000 };

/** Names or slugs: a tag that the run creates keeps the name that the merchant typed. */
const tagNames = z
  .array(
    z
      .string()
      .max(200)
      .refine((name) => defineTag(name).slug !== "", "must hold a letter a-z or a digit"),
  )
  .max(MAX_TAGS)
  .default([]);
const slugsOf = (names: readonly string[]): string[] => names.map((name) => defineTag(name).slug);
export const TagRunInput = z
  .object({ selection: CustomerSelection, add: tagNames, remove: tagNames })
  .refine(({ add, remove }) => add.length + remove.length > 0, {
    message: "name a tag",
    path: ["add"],
  })
  .refine(({ add, remove }) => !slugsOf(add).some((slug) => slugsOf(remove).includes(slug)), {
    message: "a tag cannot be added and removed at once",
    path: ["add"],
  });
export type TagRunInput = z.output<typeof TagRunInput>;

const CUSTOMER_ACTIONS = ["suspend", "reactivate", "data_request", "erase"] as const;
export type CustomerAction = (typeof CUSTOMER_ACTIONS)[number];
export const ActionRunInput = z
  .object({
    kind: z.enum([...CUSTOMER_ACTIONS, "profile"]),
    selection: CustomerSelection,
    /** For an erasure: the number of customers, typed by the merchant. */
    typed: z.string().max(40).optional(),
  })
  .refine(({ kind, selection }) => kind !== "profile" || "segment" in selection, {
    message: "must name a segment",
    path: ["selection"],
  });
export type ActionRunInput = z.output<typeof ActionRunInput>;
export type ActionPreview = { total: number; /** Customers who would change. */ changing: number };

/** Whom an action changes; it leaves the others as they are. */
const CHANGED: Record<ActionRunInput["kind"], string> = {
  suspend: "u.status = 'active'",
  reactivate: "u.status = 'suspended'",
  data_request: "(u.email IS NOT NULL OR u.storefront_customer_gid IS NOT NULL)",
  erase: "(u.email IS NOT NULL OR u.storefront_customer_gid IS NOT NULL)",
  profile: IS_SENT,
};

const LIVING = "u.status <> 'deleted'";

async function countSelected(
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

export type TagPreview = {
  total: number;
  /** People of whom something changes. */
  changing: number;
  /** Per tag: how many get it, or lose it. */
  tags: {
    slug: string;
    name: string;
    action: "add" | "remove";
    people: number;
  }[];
};

/**
 * Previews a run without changes. Each count is one pass over the selected customers and the
 * holders of a tag.
 */
export async function previewTagRun(
  ctx: Ctx,
  tenant: Tenant,
  { selection, add, remove }: TagRunInput,
): Promise<TagPreview> {
  const count = (conditions: readonly string[], values: readonly number[]) =>
    countSelected(ctx, tenant, selection, conditions, values);
  const total = await count([], []);
  const asked = [
    ...add.map((tag) => ({ ...namedTag(tag), action: "add" as const })),
    ...remove.map((tag) => ({ ...namedTag(tag), action: "remove" as const })),
  ];
  const tags: TagPreview["tags"] = [];
  const unchanged: string[] = [];
  const ids: number[] = [];
  for (const [place, tag] of asked.entries()) {
    const id = await tagIdOf(ctx, tenant, tag.slug);
    const isMeant = tag.action === "add" ? hasTag : hasRemovableTag;
    const holders = id === 0 ? 0 : await count([isMeant("$2")], [id]);
    tags.push({ ...tag, people: tag.action === "add" ? total - holders : holders });
    ids.push(id);
    unchanged.push(`${tag.action === "add" ? "" : "NOT "}${isMeant(`$${place + 2}`)}`);
  }
  const [only, ...others] = tags;
  return {
    total,
    changing: only && others.length === 0 ? only.people : total - (await count(unchanged, ids)),
    tags,
  };
}

function namedTag(typed: string): { slug: string; name: string } {
  const { slug, name } = defineTag(typed);
  return { slug, name };
}

export async function previewAction(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection }: Pick<ActionRunInput, "kind" | "selection">,
): Promise<ActionPreview> {
  const [total, changing] = await Promise.all([
    countSelected(ctx, tenant, selection),
    countSelected(ctx, tenant, selection, [CHANGED[kind]]),
  ]);
  return { total, changing };
}

/** Requests the run. Customers created after this moment are excluded. */
export async function startTagRun(
  ctx: Ctx,
  tenant: Tenant,
  { selection, add, remove }: TagRunInput,
): Promise<BulkRunState> {
  const fixed = await fixSelection(ctx, tenant, selection);
  const total = await countSelected(ctx, tenant, fixed.selection);
  return storeRun(ctx, tenant, { kind: "tags", ...fixed, add, remove, total });
}

/**
 * Requests that the rules set their tags on every customer, in the caller's transaction. Null for a
 * store without customers, and while a requested run has not begun: that one reads the newest rules.
 */
export async function startRuleRun(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
): Promise<BulkRunState | null> {
  const [waiting] = await sql(
    "SELECT 1 FROM tag_runs WHERE shop = $1 AND kind = 'rules' AND state = 'waiting' LIMIT 1",
  );
  const selection = CustomerSelection.parse({ filter: {} });
  const total = waiting ? 0 : await countSelected(ctx, tenant, selection);
  if (total === 0) return null;
  return storeRun(
    ctx,
    tenant,
    { kind: "rules", selection, segment: null, add: [], remove: [], total },
    sql,
  );
}

/**
 * Throws `conflict` when the number that was typed for an erasure is no longer the right one, and
 * `invalid_request` for a send to a profile platform that is not connected.
 */
export async function startAction(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection, typed }: ActionRunInput,
): Promise<BulkRunState> {
  if (kind === "profile" && !isChannelEnabled(ctx, tenant, PROFILE_CHANNEL))
    throw new AppError("invalid_request", { fields: { kind: "is not connected" } });
  const fixed = await fixSelection(ctx, tenant, selection);
  const { changing } = await previewAction(ctx, tenant, { kind, selection: fixed.selection });
  if (changing > (MAX_CUSTOMERS[kind] ?? Infinity))
    throw new AppError("invalid_request", {
      fields: { selection: "selects more customers than allowed" },
    });
  if (kind === "erase" && typed?.replace(/\D/g, "") !== String(changing))
    throw new AppError("conflict", { fields: { typed: "does not match" } });
  return storeRun(ctx, tenant, { kind, ...fixed, add: [], remove: [], total: changing });
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

/** `rules`: the tags of the rules, for every customer (customers/system-tags). */
export const BULK_KINDS = ["tags", "rules", "profile", ...CUSTOMER_ACTIONS] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const sealContext = (shop: string): string => `${shop}/tag_run`;

type NewRun = FixedSelection & {
  kind: BulkKind;
  add: readonly string[];
  remove: readonly string[];
  total: number;
};

async function storeRun(
  ctx: Ctx,
  tenant: Tenant,
  run: NewRun,
  sql: TenantSql = dataOf(ctx, tenant).sql,
): Promise<BulkRunState> {
  const { kind, selection, segment, add, remove, total } = run;
  if (total === 0)
    throw new AppError("invalid_request", { fields: { selection: "selects no customers" } });
  const [started] = await sql<ShownRun>(
    `INSERT INTO tag_runs (shop, id, kind, selection, add, remove, total, segment_id, last_id)
      SELECT $1, $2, $3, $4, $5::text[], $6::text[], $7, $8::uuid, coalesce(max(id), 0)
      FROM storefront_users
      WHERE shop = $1 RETURNING ${SHOWN.join(", ")}`,
    [
      ctx.random.orderedUuid(),
      kind,
      ctx.secrets.seal(
        sealContext(tenant.shop),
        JSON.stringify({ ...selection, audience: segment }),
      ),
      add,
      remove,
      total,
      segment?.id ?? null,
    ],
  );
  if (!started) throw new Error("the run was not stored");
  return toState(started);
}

/** The condition of what a run still has to change: whom it changed already is no longer meant. */
export const changedBy = (kind: BulkKind): string =>
  kind === "tags" || kind === "rules" ? LIVING : `${LIVING} AND ${CHANGED[kind]}`;

export type BulkRunState = {
  id: string;
  kind: BulkKind;
  state: "waiting" | "running" | "done" | "failed";
  started_at: string;
  total: number;
  processed: number;
  changed: number;
  refused: number;
  /** Members of the store admin's segment that are not known here, and so are left out. */
  unknown: number;
};

export const SHOWN = [
  "id",
  "kind",
  "state",
  "created_at",
  "total",
  "processed",
  "changed",
  "refused",
  "unknown",
] as const;
export type ShownRun = Columns<TagRun, (typeof SHOWN)[number]>;

export const toState = (run: ShownRun): BulkRunState => ({
  id: run.id,
  kind: run.kind as BulkKind,
  state: run.state as BulkRunState["state"],
  started_at: run.created_at.toISOString(),
  total: run.total,
  processed: run.processed,
  changed: run.changed,
  refused: run.refused,
  unknown: run.unknown,
});

export async function findBulkRun(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
): Promise<BulkRunState | null> {
  if (!z.uuid().safeParse(id).success) return null;
  const row = await dataOf(ctx, tenant).prisma.tagRun.findUnique({
    where: { shop_id: { shop: tenant.shop, id } },
  });
  return row && toState(row);
}

/** The waiting or running run, so that a reload of the list shows its progress. */
export const OPEN_RUN = `SELECT ${SHOWN.join(", ")} FROM tag_runs
  WHERE shop = $1 AND state IN ('waiting', 'running') ORDER BY created_at LIMIT 1`;

/** The same of the rules alone. */
export async function findOpenRuleRun(ctx: Ctx, tenant: Tenant): Promise<BulkRunState | null> {
  const run = await dataOf(ctx, tenant).prisma.tagRun.findFirst({
    where: { shop: tenant.shop, kind: "rules", state: { in: ["waiting", "running"] } },
    orderBy: { created_at: "asc" },
  });
  return run && toState(run);
}
