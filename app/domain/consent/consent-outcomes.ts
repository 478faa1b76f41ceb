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

export type ConsentState = ConsentOutcome | "not_asked";

/** The current state of a consent, from its flag and the outcome of its last record. */
export function stateOf(isGranted: boolean, last: ConsentOutcome | null): ConsentState {
  if (isGranted) return "granted";
  // The flag decides: what was granted is not in force any more.
  return last === "granted" ? "withdrawn" : (last ?? "not_asked");
}
