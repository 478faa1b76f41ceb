// The filters of the agents' activity and their SQL. What an index answers narrows the reading; the rest
// is compared among a bounded number of rows.
import { z } from "zod";
import { nextDay, startOfDay } from "../../runtime/calendar-days.ts";
import { dayField, textField } from "../bus/log/filter-fields.ts";
import { OUTCOMES } from "./agent-call.ts";
import { KINDS, operationsOf } from "./operations.ts";

/** Values of the filter that stand in place of a client id. */
const UNKNOWN_AGENT = "unknown";
const SESSION_AGENT = "session";

/** Parses the filter of a URL. Invalid parts are ignored, as in every list. */
export const ActivityFilters = z.object({
  agent: textField(500),
  /** A name, an email address or an id. */
  customer: textField(200),
  kind: z.enum(KINDS).optional().catch(undefined),
  outcome: z.enum(OUTCOMES).optional().catch(undefined),
  from: dayField,
  to: dayField,
});
export type ActivityFilters = z.output<typeof ActivityFilters>;

export type ActivityQuery = {
  /** Over `agent_activity`, by an index. Its values are numbered from `$2`. */
  indexed: string;
  indexedValues: unknown[];
  /** Compared row by row. Its values are numbered after those of `indexed`. */
  compared: string;
  comparedValues: unknown[];
};

/** `zone`: of the days. `customers`: the ids that the filter means; null: all. */
export function queryOf(
  { agent, kind, outcome, from, to }: ActivityFilters,
  zone: string,
  customers: readonly number[] | null,
): ActivityQuery {
  const values: unknown[] = [];
  const place = (value: unknown) => `$${values.push(value) + 1}`;
  const indexed = [
    ...(agent === undefined ? [] : [agentIs(agent, place)]),
    ...(customers === null ? [] : [`user_id = ANY(${place(customers)}::int[])`]),
    ...(from === undefined ? [] : [`last_at >= ${place(startOfDay(zone, from))}`]),
    ...(to === undefined ? [] : [`last_at < ${place(startOfDay(zone, nextDay(to)))}`]),
  ];
  const count = values.length;
  const compared = [
    ...(kind === undefined ? [] : [`operation = ANY(${place(operationsOf(kind))}::text[])`]),
    ...(outcome === undefined ? [] : [`outcome = ${place(outcome)}`]),
  ];
  return {
    indexed: indexed.map((part) => ` AND ${part}`).join(""),
    indexedValues: values.slice(0, count),
    compared: compared.map((part) => ` AND ${part}`).join(""),
    comparedValues: values.slice(count),
  };
}

function agentIs(agent: string, place: (value: unknown) => string): string {
  if (agent === UNKNOWN_AGENT) return "client_id IS NULL AND user_id IS NULL";
  if (agent === SESSION_AGENT) return "client_id IS NULL AND user_id IS NOT NULL";
  return `client_id = ${place(agent)}`;
}
