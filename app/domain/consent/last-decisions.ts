// The newest record of each consent of a customer, with what it says.
import type { Columns, ConsentRecord, TenantSql } from "../../db.server.ts";
import { outcomeOf, type ConsentOutcome } from "./consent-outcomes.ts";
import { CONSENT_TYPES, type ConsentType } from "./consent-types.ts";

type Decision = { outcome: ConsentOutcome; method: string; version: string | null; at: string };

/** SQL of the latest record of each consent. `user`: the parameter of the customer's id. */
export const lastDecisions = (user: string): string => `
  SELECT last.consent_type, last.method, last.consent_version, last.created_at, ${outcomeOf("last")} AS outcome
  FROM (
    SELECT DISTINCT ON (consent_type) * FROM consent_records WHERE shop = $1 AND user_id = ${user}
      AND consent_type IN (${CONSENT_TYPES.map((type) => `'${type}'`).join(", ")})
      AND action IN ('granted', 'revoked')
    ORDER BY consent_type, id DESC
  ) AS last`;

/** `created_at`: a text where the row came as JSON. */
export type DecisionRow = Columns<ConsentRecord, "method" | "consent_version"> & {
  consent_type: ConsentType;
  outcome: ConsentOutcome;
  created_at: Date | string;
};

export const toDecisions = (rows: readonly DecisionRow[]): Map<ConsentType, Decision> =>
  new Map(
    rows.map((row) => [
      row.consent_type,
      {
        outcome: row.outcome,
        method: row.method,
        version: row.consent_version,
        at: new Date(row.created_at).toISOString(),
      },
    ]),
  );

export const readLastDecisions = async (
  sql: TenantSql,
  userId: number,
): Promise<Map<ConsentType, Decision>> =>
  toDecisions(await sql<DecisionRow>(lastDecisions("$2"), [userId]));
