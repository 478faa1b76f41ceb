// The newest record of each consent of a customer, with what it says.
import type { Columns, ConsentRecord, TenantSql } from "../../db.server.ts";
import { outcomeOf, type ConsentOutcome } from "./consent-outcomes.ts";
import { CONSENT_TYPES, type ConsentType } from "./consent-types.ts";

type Decision = { outcome: ConsentOutcome; method: string; version: string | null; at: string };

/** The latest record of each consent. */
export async function readLastDecisions(
  sql: TenantSql,
  userId: number,
): Promise<Map<ConsentType, Decision>> {
  const rows = await sql<
    Columns<ConsentRecord, "consent_type" | "method" | "consent_version" | "created_at"> & {
      consent_type: ConsentType;
      outcome: ConsentOutcome;
    }
  >(
    `SELECT last.*, ${outcomeOf("last")} AS outcome FROM (
       SELECT DISTINCT ON (consent_type) * FROM consent_records WHERE shop = $1 AND user_id = $2
         AND consent_type = ANY($3::text[]) AND action IN ('granted', 'revoked')
       ORDER BY consent_type, id DESC) AS last`,
    [userId, CONSENT_TYPES],
  );
  return new Map(
    rows.map((row) => [
      row.consent_type,
      {
        outcome: row.outcome,
        method: row.method,
        version: row.consent_version,
        at: row.created_at.toISOString(),
      },
    ]),
  );
}
