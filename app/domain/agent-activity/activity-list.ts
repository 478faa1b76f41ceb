// What agents asked, newest first: for the merchant of every agent, for a shopper of the own ones.
import type { Ctx } from "../../context.server.ts";
import type { AgentActivity, Columns, NullableColumns, StorefrontUser } from "../../db.server.ts";
import { timeZoneOf } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { queryOf, type ActivityFilters } from "./activity-filters.ts";
import type { CallOutcome } from "./agent-call.ts";
import { kindOf, type ActivityKind } from "./operations.ts";

/** How many rows one page compares. */
const MAX_COMPARED = 5_000;

export type ListedActivity = {
  id: number;
  at: string;
  client_id: string | null;
  /** Null: no agent that a shopper let in. */
  agent: string | null;
  customer_id: number | null;
  email: string | null;
  operation: string;
  kind: ActivityKind | null;
  outcome: CallOutcome;
  code: string | null;
  amount: string | null;
  currency: string | null;
  mandate_id: string | null;
  /** Equal calls of the same minute, or hour for unknown callers. */
  calls: number;
};

export type ActivityPage = {
  activity: ListedActivity[];
  /** The position of the following page. */
  next: string | null;
  /** The search stopped at its bound: older calls follow on the next page. */
  isCut: boolean;
};

type Row = Columns<
  AgentActivity,
  | "id"
  | "client_id"
  | "user_id"
  | "operation"
  | "outcome"
  | "code"
  | "amount"
  | "currency"
  | "mandate_id"
  | "calls"
  | "last_at"
> &
  NullableColumns<StorefrontUser, "email"> & { agent: string | null };

/** The name at the person's own grant, else of the registered client. */
const NAME = `coalesce(
  (SELECT g.client_name FROM oauth_grants g WHERE g.shop = $1 AND g.user_id = a.user_id
    AND g.client_id = a.client_id ORDER BY g.created_at DESC LIMIT 1),
  (SELECT c.client_name FROM oauth_clients c WHERE c.shop = $1 AND c.client_id = a.client_id))`;

type ActivityOptions = {
  limit: number;
  /** The end of the previous page. */
  after: string | null;
  /** Null: all. */
  customers?: readonly number[] | null;
};

export async function listActivity(
  ctx: Ctx,
  tenant: Tenant,
  filters: ActivityFilters,
  { limit, after, customers = null }: ActivityOptions,
): Promise<ActivityPage> {
  const { sql } = dataOf(ctx, tenant);
  const [at = null, id = null] = after?.split("|") ?? [];
  const query = queryOf(filters, timeZoneOf(tenant), customers);
  const place = query.indexedValues.length + query.comparedValues.length + 2;
  const newest = (from: number) => `
    SELECT * FROM agent_activity WHERE shop = $1${query.indexed}
      AND ($${from}::timestamptz IS NULL OR (last_at, id) < ($${from}::timestamptz, $${from + 1}::bigint))
    ORDER BY last_at DESC, id DESC LIMIT ${MAX_COMPARED}`;
  const rows = await sql<Row>(
    `SELECT a.*, u.email, ${NAME} AS agent
     FROM (SELECT * FROM (${newest(place)}) found WHERE shop = $1${query.compared}
       ORDER BY last_at DESC, id DESC LIMIT $${place + 2}) a
     LEFT JOIN storefront_users u ON u.shop = $1 AND u.id = a.user_id
     ORDER BY a.last_at DESC, a.id DESC`,
    [...query.indexedValues, ...query.comparedValues, at, id, limit + 1],
  );
  const page = rows.slice(0, limit);
  const activity = page.map(toListed);
  if (rows.length > limit) {
    const last = activity.at(-1) as ListedActivity;
    return { activity, next: `${last.at}|${last.id}`, isCut: false };
  }
  if (query.compared === "") return { activity, next: null, isCut: false };
  const [end] = await sql<{ rows: number; at: Date | null; id: number | null }>(
    `SELECT count(*)::int AS rows, (array_agg(last_at ORDER BY last_at, id))[1] AS at,
      (array_agg(id ORDER BY last_at, id))[1] AS id
     FROM (${newest(query.indexedValues.length + 2)}) found WHERE shop = $1`,
    [...query.indexedValues, at, id],
  );
  // Full: older rows may follow.
  if (!end?.at || end.rows < MAX_COMPARED) return { activity, next: null, isCut: false };
  return { activity, next: `${end.at.toISOString()}|${end.id}`, isCut: true };
}

function toListed({ last_at: at, user_id: customerId, ...row }: Row): ListedActivity {
  return {
    id: row.id,
    at: at.toISOString(),
    client_id: row.client_id,
    agent: row.client_id === null ? null : (row.agent ?? nameOf(row.client_id)),
    customer_id: customerId,
    email: row.email,
    operation: row.operation,
    kind: kindOf(row.operation),
    outcome: row.outcome as CallOutcome,
    code: row.code,
    amount: row.amount,
    currency: row.currency,
    mandate_id: row.mandate_id,
    calls: row.calls,
  };
}

/** A client with a metadata document is named by its host. */
export const nameOf = (clientId: string): string => URL.parse(clientId)?.host || clientId;

/** Changes with every call that is written: whether a screen has to be read again. */
export async function readActivityMark(ctx: Ctx, tenant: Tenant): Promise<string> {
  const [newest] = await dataOf(ctx, tenant).sql<
    Columns<AgentActivity, "id" | "calls" | "last_at">
  >(
    `SELECT id, calls, last_at FROM agent_activity WHERE shop = $1
      ORDER BY last_at DESC, id DESC LIMIT 1`,
  );
  return newest ? `${newest.last_at.toISOString()} ${newest.id} ${newest.calls}` : "";
}
