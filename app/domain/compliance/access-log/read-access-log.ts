// Reads the access log, newest first: pages for operators and the customer page, and CSV files.
import type { Ctx } from "../../../context.server.ts";
import type { AccessLog } from "../../../db.server.ts";
import { toCsvLine } from "../../../runtime/text/csv.ts";
import { slicedCsv } from "../../../runtime/text/sliced-csv.ts";
import { readWhereStoreIs } from "../../tenants/reading.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { AccessAction, Actor } from "./record-access.ts";

const COLUMNS = [
  "id",
  "created_at",
  "actor_kind",
  "actor_id",
  "action",
  "user_id",
  "count",
  "place",
  "request_id",
] as const;
const CSV_PAGE = 1_000;

export type AccessEntry = Omit<
  AccessLog,
  "shop" | "id" | "created_at" | "actor_kind" | "action"
> & {
  id: number;
  created_at: string;
  actor_kind: Actor["kind"];
  action: AccessAction;
};

type Paging = { userId: number | null; limit: number; before: number | null };

/** `userId` null: of the whole store. `before`: the end of the previous page. */
export async function listAccesses(
  ctx: Ctx,
  tenant: Tenant,
  { userId, limit, before }: Paging,
): Promise<{ entries: AccessEntry[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).prisma.accessLog.findMany({
    omit: { shop: true },
    where: {
      ...(userId !== null && { user_id: userId }),
      ...(before !== null && { id: { lt: before } }),
    },
    orderBy: { id: "desc" },
    take: limit + 1,
  });
  const entries = rows.slice(0, limit).map((row) => ({
    ...row,
    id: Number(row.id),
    created_at: row.created_at.toISOString(),
    actor_kind: row.actor_kind as Actor["kind"],
    action: row.action as AccessAction,
  }));
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** The whole log of a store or of one customer. */
export const exportAccessLog = (
  ctx: Ctx,
  tenant: Tenant,
  userId: number | null,
): AsyncGenerator<string> =>
  slicedCsv<AccessEntry>({
    head: toCsvLine(COLUMNS),
    sliceSize: CSV_PAGE,
    async readAfter(last) {
      const page = { userId, limit: CSV_PAGE, before: last?.id ?? null };
      return (await readWhereStoreIs(ctx, tenant, (at) => listAccesses(ctx, at, page))).entries;
    },
    toValues: (entry) => COLUMNS.map((column) => entry[column]),
  });
