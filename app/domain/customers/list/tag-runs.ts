// Tags for many customers at once: first a preview, then a run in slices by the worker, with
// progress. Each customer is changed by the same function as a single one, never by a whole list.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, TagRun, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { toSlug } from "../../tags/catalog.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { conditionOf, CustomerFilter, hasTag, tagIdOf, type Condition } from "./customer-filter.ts";

const MAX_TAGS = 10;
const MAX_NAMED = 1_000;

/** The selected customers, or all customers of a filter. */
export const TagSelection = z.union([
  z.object({ ids: z.array(z.number().int().positive().max(2_147_483_647)).min(1).max(MAX_NAMED) }),
  z.object({ filter: CustomerFilter }),
]);
export type TagSelection = z.output<typeof TagSelection>;

const slugs = z
  .array(
    z
      .string()
      .max(200)
      .transform(toSlug)
      .pipe(z.string().min(1, "must hold a letter a-z or a digit")),
  )
  .max(MAX_TAGS)
  .default([]);
export const TagRunInput = z
  .object({ selection: TagSelection, add: slugs, remove: slugs })
  .refine(({ add, remove }) => add.length + remove.length > 0, {
    message: "name a tag",
    path: ["add"],
  })
  .refine(({ add, remove }) => !add.some((slug) => remove.includes(slug)), {
    message: "a tag cannot be added and removed at once",
    path: ["add"],
  });
export type TagRunInput = z.output<typeof TagRunInput>;

/** Over `storefront_users u`; values from `$<first>`. Deleted customers are excluded. */
export async function selectionOf(
  sql: TenantSql,
  selection: TagSelection,
  first: number,
): Promise<Condition> {
  if ("ids" in selection)
    return {
      sql: `u.shop = $1 AND u.status <> 'deleted' AND u.id = ANY($${first}::int[])`,
      values: [selection.ids],
    };
  const condition = await conditionOf(sql, selection.filter, first);
  return { ...condition, sql: `${condition.sql} AND u.status <> 'deleted'` };
}

export type TagPreview = {
  total: number;
  /** People of whom something changes. */ changing: number;
  /** Per tag: how many get it, or lose it. */ tags: {
    slug: string;
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
  const { sql } = dataOf(ctx, tenant);
  const count = async (conditions: readonly string[], values: readonly number[]) => {
    const condition = await selectionOf(sql, selection, 2 + values.length);
    const [row] = await sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM storefront_users u WHERE ${[condition.sql, ...conditions].join(" AND ")}`,
      [...values, ...condition.values],
    );
    return row?.count ?? 0;
  };
  const total = await count([], []);
  const asked = [
    ...add.map((slug) => ({ slug, action: "add" as const })),
    ...remove.map((slug) => ({ slug, action: "remove" as const })),
  ];
  const tags: TagPreview["tags"] = [];
  const unchanged: string[] = [];
  const ids: number[] = [];
  for (const [place, tag] of asked.entries()) {
    const id = await tagIdOf(sql, tag.slug);
    const holders = id === 0 ? 0 : await count([hasTag("$2")], [id]);
    tags.push({ ...tag, people: tag.action === "add" ? total - holders : holders });
    ids.push(id);
    unchanged.push(`${tag.action === "add" ? "" : "NOT "}${hasTag(`$${place + 2}`)}`);
  }
  const [only, ...others] = tags;
  return {
    total,
    changing: only && others.length === 0 ? only.people : total - (await count(unchanged, ids)),
    tags,
  };
}

export const placeOf = (shop: string): string => `${shop}/tag_run`;

/** Requests the run. Customers created after this moment are excluded. */
export async function startTagRun(
  ctx: Ctx,
  tenant: Tenant,
  input: TagRunInput,
): Promise<TagRunState> {
  const { total } = await previewTagRun(ctx, tenant, input);
  if (total === 0) throw new AppError("invalid_request", { fields: { selection: "means nobody" } });
  const id = ctx.random.orderedUuid();
  const [started] = await dataOf(ctx, tenant).sql<ShownRun>(
    `INSERT INTO tag_runs (shop, id, selection, add, remove, total, last_id)
      SELECT $1, $2, $3, $4::text[], $5::text[], $6, coalesce(max(id), 0) FROM storefront_users
      WHERE shop = $1 RETURNING ${SHOWN.join(", ")}`,
    [
      id,
      ctx.secrets.seal(placeOf(tenant.shop), JSON.stringify(input.selection)),
      input.add,
      input.remove,
      total,
    ],
  );
  if (!started) throw new Error("the tag run was not stored");
  return toState(started);
}

export type TagRunState = {
  id: string;
  state: "waiting" | "running" | "done" | "failed";
  started_at: string;
  total: number;
  processed: number;
  changed: number;
  refused: number;
};

const SHOWN = ["id", "state", "created_at", "total", "processed", "changed", "refused"] as const;
type ShownRun = Columns<TagRun, (typeof SHOWN)[number]>;

const toState = (run: ShownRun): TagRunState => ({
  id: run.id,
  state: run.state as TagRunState["state"],
  started_at: run.created_at.toISOString(),
  total: run.total,
  processed: run.processed,
  changed: run.changed,
  refused: run.refused,
});

export async function findTagRun(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
): Promise<TagRunState | null> {
  if (!z.uuid().safeParse(id).success) return null;
  const row = await dataOf(ctx, tenant).prisma.tagRun.findUnique({
    where: { shop_id: { shop: tenant.shop, id } },
  });
  return row && toState(row);
}

/** The waiting or running tag run, so that a reload of the list shows its progress. */
export async function findOpenTagRun(ctx: Ctx, tenant: Tenant): Promise<TagRunState | null> {
  const row = await dataOf(ctx, tenant).prisma.tagRun.findFirst({
    where: { state: { in: ["waiting", "running"] } },
    orderBy: { created_at: "asc" },
  });
  return row && toState(row);
}
