// The merchant's view of the consent log: all rows, newest first, filtered, and as CSV.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type {
  Columns,
  ConsentRecord,
  NullableColumns,
  StorefrontUser,
  TenantSql,
} from "../../db.server.ts";
import { nextDay, startOfDay } from "../../runtime/calendar-days.ts";
import { toCsvLine } from "../../runtime/text/csv.ts";
import { slicedCsv } from "../../runtime/text/sliced-csv.ts";
import { textField } from "../bus/log/filter-fields.ts";
import { readWhereStoreIs } from "../tenants/reading.ts";
import { timeZoneOf } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { OUTCOMES, outcomeOf, type ConsentOutcome } from "./consent-outcomes.ts";

// PostgreSQL has no year 0.
const day = z.iso
  .date()
  .refine((value) => !value.startsWith("0000"))
  .optional()
  .catch(undefined);

/** An invalid filter is ignored. Days are of the store's time zone; `until` includes its whole day. */
export const ConsentFilters = z.object({
  type: textField(80),
  decision: z
    .enum([...OUTCOMES, "mandate_created", "mandate_used"])
    .optional()
    .catch(undefined),
  method: textField(100),
  from: day,
  until: day,
  email: textField(320),
});
export type ConsentFilters = z.output<typeof ConsentFilters>;

export type LoggedConsent = {
  seq: number;
  created_at: string;
  consent_type: string;
  /** An outcome, or a mandate's event. */
  decision: string;
  method: string;
  consent_version: string | null;
  consent_id: string;
  gpc: boolean;
  user_id: number | null;
  email: string | null;
  visitor_id: string | null;
};

type LogRow = Columns<
  ConsentRecord,
  | "id"
  | "seq"
  | "created_at"
  | "consent_type"
  | "action"
  | "method"
  | "consent_version"
  | "consent_id"
  | "gpc"
  | "user_id"
  | "visitor_id"
  | "user_agent"
  | "ga_session_id"
  | "timestamp"
  | "hash"
> &
  NullableColumns<StorefrontUser, "email"> & { outcome: ConsentOutcome | null };

// The positions first, from the index alone (consent_records_log_idx contains the filtered
// columns), then the few rows. A position is a row's number; its time is in the row itself.
const places = (where: string) => `
  SELECT seq FROM consent_records WHERE shop = $1
    AND ($2::text IS NULL OR consent_type = $2) AND ($3::text IS NULL OR action = $3)
      AND ($4::text IS NULL OR method = $4)
    AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
    AND ($7::bigint IS NULL OR (created_at, seq) < ((SELECT created_at FROM consent_records
      WHERE shop = $1 AND seq = $7), $7)) ${where}
  ORDER BY created_at DESC, seq DESC LIMIT $8`;
const rowsAt = (found: string) => `
  SELECT r.id, r.seq, r.created_at, r.consent_type, r.action, r.method, r.consent_version,
    r.consent_id, r.gpc, r.user_id, u.email, r.visitor_id, r.user_agent, r.ga_session_id,
    r.timestamp, r.hash, ${outcomeOf("r")} AS outcome
  FROM (${found}) AS place JOIN consent_records r ON r.shop = $1 AND r.seq = place.seq LEFT
    JOIN storefront_users u ON u.shop = r.shop AND u.id = r.user_id ORDER BY r.created_at DESC, r.seq DESC`;

const ofPeople = (ids: string) => `AND user_id = ANY(${ids}::int[])`;
// A revocation's outcome needs the person's earlier records: it is asked for only around days that have
// the wanted one. A store's day of any time zone is within the UTC day, the one before and the one after.
const ofOutcome = (outcome: string) => `
    AND (created_at AT TIME ZONE 'UTC')::date = ANY(ARRAY(SELECT day + shift FROM consent_days, generate_series(-1, 1) AS shift
      WHERE shop = $1 AND outcome = ${outcome} AND ($2::text IS NULL OR consent_type = $2)))
    AND (SELECT ${outcomeOf("o")} FROM consent_records o
      WHERE o.shop = $1 AND o.seq = consent_records.seq) = ${outcome}`;

/** The accounts with this address; a filter by an unknown address finds nothing. */
const findUserIds = async (sql: TenantSql, email: string): Promise<number[]> =>
  (
    await sql<Columns<StorefrontUser, "id">>(
      "SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = $2 AND status <> 'deleted'",
      [email.normalize("NFKC").toLowerCase()],
    )
  ).map(({ id }) => id);

type Paging = { limit: number; before: number | null };

/** The days of the filters are the store's own. */
async function readRows(
  sql: TenantSql,
  zone: string,
  { decision, ...filters }: ConsentFilters,
  userIds: number[] | null,
  { limit, before }: Paging,
): Promise<LogRow[]> {
  const isRevocation = decision === "declined" || decision === "withdrawn";
  const values: unknown[] = [
    filters.type ?? null,
    isRevocation ? "revoked" : (decision ?? null),
    filters.method ?? null,
    filters.from === undefined ? null : startOfDay(zone, filters.from),
    filters.until === undefined ? null : startOfDay(zone, nextDay(filters.until)),
    before,
    limit,
  ];
  // The shop is $1.
  const add = (value: unknown) => `$${values.push(value) + 1}`;
  const where = [
    userIds ? ofPeople(add(userIds)) : "",
    isRevocation ? ofOutcome(add(decision)) : "",
  ];
  return sql<LogRow>(rowsAt(places(where.join(" "))), values);
}

/**
 * `before`: the last position of the previous page. Returns the position of the next page, null at
 * the end.
 */
export async function listConsentLog(
  ctx: Ctx,
  tenant: Tenant,
  filters: ConsentFilters,
  { limit, before }: Paging,
): Promise<{ records: LoggedConsent[]; next: number | null }> {
  const { sql } = dataOf(ctx, tenant);
  const rows = await readRows(
    sql,
    timeZoneOf(tenant),
    filters,
    filters.email === undefined ? null : await findUserIds(sql, filters.email),
    { limit: limit + 1, before },
  );
  const records = rows
    .slice(0, limit)
    .map(
      ({
        seq,
        created_at: at,
        consent_type,
        action,
        outcome,
        method,
        consent_version,
        consent_id,
        gpc,
        user_id,
        email,
        visitor_id,
      }) => ({
        seq,
        created_at: at.toISOString(),
        consent_type,
        decision: outcome ?? action,
        method,
        consent_version,
        consent_id,
        gpc,
        user_id,
        email,
        visitor_id,
      }),
    );
  return { records, next: rows.length > limit ? (records.at(-1)?.seq ?? null) : null };
}

const CSV_COLUMNS = [
  "id",
  "user_id",
  "email",
  "visitor_id",
  "consent_type",
  "action",
  "method",
  "consent_version",
  "consent_id",
  "user_agent",
  "ga_session_id",
  "timestamp",
  "created_at",
  "gpc",
  "seq",
  "hash",
  "outcome",
] as const;
const CSV_PAGE = 1_000;

/** Every filtered row. `onEnd`: see slicedCsv. */
export async function* exportConsentLog(
  ctx: Ctx,
  tenant: Tenant,
  filters: ConsentFilters,
  onEnd?: (rows: number) => Promise<void>,
): AsyncGenerator<string> {
  const userIds =
    filters.email === undefined ? null : await findUserIds(dataOf(ctx, tenant).sql, filters.email);
  yield* slicedCsv<LogRow>({
    head: toCsvLine(CSV_COLUMNS),
    sliceSize: CSV_PAGE,
    readAfter(last) {
      const page = { limit: CSV_PAGE, before: last?.seq ?? null };
      return readWhereStoreIs(ctx, tenant, (at) =>
        readRows(dataOf(ctx, at).sql, timeZoneOf(tenant), filters, userIds, page),
      );
    },
    toValues: (row) => CSV_COLUMNS.map((column) => row[column]),
    ...(onEnd && { onEnd }),
  });
}
