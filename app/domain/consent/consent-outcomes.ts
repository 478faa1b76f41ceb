// What a record of the consent log says, by the person's state before it: a revocation is a
// withdrawal when a grant was in force, else the person declined. The rule is the database function
// `consent_outcome`, because the records are counted there as they are written (consent_days).
import type { TenantSql } from "../../db.server.ts";

export const OUTCOMES = ["granted", "declined", "withdrawn"] as const;
export type ConsentOutcome = (typeof OUTCOMES)[number];

/** SQL: the outcome of a record, null for a mandate's event. `record`: the name of its row. */
export const outcomeOf = (record: string): string =>
  `consent_outcome(${["shop", "id", "user_id", "visitor_id", "consent_type", "action"]
    .map((column) => `${record}.${column}`)
    .join(", ")})`;

/** The records with their outcomes, by their ids. */
export async function withOutcomes<R extends { id: number }>(
  sql: TenantSql,
  records: readonly R[],
): Promise<(R & { outcome: ConsentOutcome | null })[]> {
  if (records.length === 0) return [];
  const rows = await sql<{ id: number; outcome: ConsentOutcome | null }>(
    `SELECT r.id, ${outcomeOf("r")} AS outcome FROM consent_records r
      WHERE r.shop = $1 AND r.id = ANY($2::int[])`,
    [records.map(({ id }) => id)],
  );
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  return records.map((record) => ({ ...record, outcome: outcomes.get(record.id) ?? null }));
}

/** What each of these decisions would say of the person if it were recorded now. */
export async function outcomesOf<T extends string>(
  sql: TenantSql,
  userId: number,
  flags: Partial<Record<T, boolean>>,
): Promise<Partial<Record<T, ConsentOutcome>>> {
  const types = Object.keys(flags) as T[];
  // The record does not exist yet: every one that does comes before it.
  const rows = await sql<{ type: T; outcome: ConsentOutcome }>(
    `SELECT f.type, consent_outcome(u.shop, 2147483647, u.id, NULL, f.type, f.action) AS outcome
      FROM storefront_users u, unnest($3::text[], $4::text[]) AS f(type, action)
     WHERE u.shop = $1 AND u.id = $2`,
    [userId, types, types.map((type) => (flags[type] ? "granted" : "revoked"))],
  );
  return Object.fromEntries(rows.map(({ type, outcome }) => [type, outcome])) as Partial<
    Record<T, ConsentOutcome>
  >;
}

export type ConsentState = ConsentOutcome | "not_asked";

/** The current state of a consent, from its flag and the outcome of its last record. */
export function stateOf(isGranted: boolean, last: ConsentOutcome | null): ConsentState {
  if (isGranted) return "granted";
  // The flag decides: what was granted is not in force any more.
  return last === "granted" ? "withdrawn" : (last ?? "not_asked");
}
