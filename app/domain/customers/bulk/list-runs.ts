// The bulk changes of a store, newest first: what each was, who started it, whom it meant and what came of it.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, TagRun } from "../../../db.server.ts";
import { defineTag } from "../../tags/catalog.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { nameValues } from "../list/filter-choices.ts";
import { currencyOf } from "../list/list-screen.ts";
import { Chosen } from "./chosen.ts";
import { MAX_REFUSALS } from "./refusals.ts";
import { SHOWN, toState, type BulkRunState, type ShownRun } from "./run-row.ts";

type FilterChoice = Extract<Chosen, { filter: object }>;

/**
 * Whom a run meant. `segment`: its name of today, null once it is deleted. `unknown`: of an earlier version,
 * which did not keep it.
 */
type Meant =
  | { by: "everybody" | "ids" | "unknown" }
  | { by: "segment"; name: string | null }
  | { by: "store_segment"; url: string }
  | ({ by: "filter" } & FilterChoice);

export type ListedRun = BulkRunState & {
  /** The names of the tags. */
  add: string[];
  remove: string[];
  meant: Meant;
  /** A user of the store's admin, by number; null where none is known. */
  started_by: string | null;
  finished_at: string | null;
  /** Left as they were, without a refusal: nothing of them was to change. */
  unchanged: number;
  /** Not changed because the run ended before. */
  left: number;
  /** Why it failed. */
  problem: "store_away" | "ours" | null;
  /** Whether there is a file of the customers whom it refused. */
  has_refusals: boolean;
  /** How many of them the file holds at most, when it cannot hold all. */
  refusals_cut_at: number | null;
};

type Row = ShownRun &
  Columns<
    TagRun,
    "add" | "remove" | "segment_id" | "store_segment" | "started_by" | "finished_at" | "last_error"
  > & { chosen: unknown; segment: string | null; has_refusals: boolean };

const LIST = `
  SELECT ${SHOWN.map((column) => `r.${column}`).join(", ")}, coalesce(r.add, '{}') AS add,
    coalesce(r.remove, '{}') AS remove, r.segment_id, r.store_segment, r.started_by, r.finished_at,
    r.last_error, r.chosen, s.name AS segment,
    EXISTS (SELECT 1 FROM tag_run_refusals f WHERE f.shop = r.shop AND f.run_id = r.id) AS has_refusals
  FROM tag_runs r LEFT JOIN segments s ON s.shop = r.shop AND s.id = r.segment_id
  WHERE r.shop = $1 AND ($2::timestamptz IS NULL OR (r.created_at, r.id) < ($2::timestamptz, $3::uuid))
  ORDER BY r.created_at DESC, r.id DESC LIMIT $4`;

export type RunPage = Awaited<ReturnType<typeof listRuns>>;

/** `after`: the end of the previous page. `choices`: the names of what the filters name. */
export async function listRuns(
  ctx: Ctx,
  tenant: Tenant,
  { limit, after }: { limit: number; after: string | null },
) {
  const { sql } = dataOf(ctx, tenant);
  const rows = await sql<Row>(LIST, [...(after?.split(" ") ?? [null, null]), limit + 1]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const tags = await namedTags(ctx, tenant, shown);
  const runs = shown.map((row) => toListed(ctx, tenant, row, tags));
  return {
    runs,
    choices: {
      tags: [...tags].map(([slug, name]) => ({ slug, name })),
      ...nameValues({
        countries: valuesIn(runs, "country"),
        languages: valuesIn(runs, "language"),
      }),
    },
    currency: currencyOf(tenant),
    next: rows.length > limit && last ? `${last.created_at.toISOString()} ${last.id}` : null,
  };
}

const filterOf = ({ meant }: Pick<ListedRun, "meant">): Partial<FilterChoice["filter"]> =>
  meant.by === "filter" ? meant.filter : {};

const valuesIn = (runs: readonly ListedRun[], name: "country" | "language"): string[] => [
  ...new Set(runs.flatMap((run) => filterOf(run)[name] ?? [])),
];

const slugOf = (typed: string): string => defineTag(typed).slug;

/** The tags that the runs change or choose by, from their slugs to their names of today. */
async function namedTags(
  ctx: Ctx,
  tenant: Tenant,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const slugs = rows.flatMap((row) => {
    const filter = filterOf({ meant: toMeant(ctx, tenant, row) });
    const chosenBy = [filter.tag, filter.tag_any, filter.tag_none].flatMap((slug) => slug ?? []);
    return [...[...row.add, ...row.remove].map(slugOf), ...chosenBy];
  });
  if (slugs.length === 0) return new Map();
  const found = await dataOf(ctx, tenant).prisma.crmTag.findMany({
    select: { slug: true, name: true },
    where: { slug: { in: [...new Set(slugs)] } },
  });
  return new Map(found.map(({ slug, name }) => [slug, name]));
}

function toListed(
  ctx: Ctx,
  tenant: Tenant,
  row: Row,
  tags: ReadonlyMap<string, string>,
): ListedRun {
  const state = toState(row);
  const { processed, changed, refused, total } = state;
  const isCut = state.state === "cancelled" || state.state === "failed";
  // Whom somebody else changed in the same way meanwhile, or who is gone, a run that is done has left out.
  const looked = state.state === "done" ? Math.max(total, processed) : processed;
  const nameOf = (typed: string) => tags.get(slugOf(typed)) ?? typed.trim();
  return {
    ...state,
    add: row.add.map(nameOf),
    remove: row.remove.map(nameOf),
    meant: toMeant(ctx, tenant, row),
    started_by: row.started_by,
    finished_at: row.finished_at?.toISOString() ?? null,
    unchanged: Math.max(0, looked - changed - refused),
    left: isCut ? Math.max(0, total - processed) : 0,
    problem: state.state === "failed" ? toProblem(row.last_error) : null,
    has_refusals: row.has_refusals,
    refusals_cut_at: refused > MAX_REFUSALS ? MAX_REFUSALS : null,
  };
}

const toProblem = (error: string | null): ListedRun["problem"] =>
  error === "storefront_unavailable" ? "store_away" : "ours";

function toMeant(ctx: Ctx, { shop }: Tenant, row: Row): Meant {
  if (row.kind === "rules") return { by: "everybody" };
  if (row.segment_id !== null) return { by: "segment", name: row.segment };
  if (row.store_segment !== null)
    return { by: "store_segment", url: storeSegmentUrl(ctx, shop, row.store_segment) };
  const chosen = Chosen.safeParse(row.chosen).data;
  if (!chosen) return { by: "unknown" };
  return "ids" in chosen ? { by: "ids" } : { by: "filter", ...chosen };
}

const storeSegmentUrl = (ctx: Ctx, shop: string, gid: string): string =>
  ctx.storefront.adminUrl(shop, `/admin/customers/segments/${gid.slice(gid.lastIndexOf("/") + 1)}`);
