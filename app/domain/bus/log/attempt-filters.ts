// The filters of the delivery log and their SQL. A list reads one index from its newest end, and a
// bounded number of rows of it: what no index answers is compared among those rows.
import { z } from "zod";
import { nextDay, startOfDay } from "../../../runtime/calendar-days.ts";
import { isSkipped } from "../outcome.ts";
import { dayField, textField } from "./filter-fields.ts";

const CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const;

/** Parses the filter of a URL. Invalid parts are ignored, as in every list. */
export const AttemptFilters = z.object({
  channel: textField(40),
  status: z.enum(["delivered", "skipped", "failed"]).optional().catch(undefined),
  /** A class, one status, or no response at all. */
  http: z
    .union([z.enum(CLASSES), z.string().regex(/^[1-5]\d\d$/)])
    .optional()
    .catch(undefined),
  /** An event type, or its start: `order.*`. */
  type: textField(100),
  /** The id of an event or of its object. */
  event: textField(200),
  /** A name, an email address or an id. */
  customer: textField(200),
  from: dayField,
  to: dayField,
});
export type AttemptFilters = z.output<typeof AttemptFilters>;

export type AttemptQuery = {
  /** Over `delivery_attempts a`: an index answers it. Its values are numbered from `$2`. */
  indexed: string;
  indexedValues: unknown[];
  /** Over `a` and the row's `integration_queue q`, row by row. Its values are numbered after those of `indexed`. */
  compared: string;
  comparedValues: unknown[];
  readsQueue: boolean;
};

const SKIPPED = isSkipped("a");

/** `$1` is the shop. `zone`: of the days. */
export function toAttemptQuery(
  { channel, status, http, type, from, to }: AttemptFilters,
  zone: string,
): AttemptQuery {
  const values: unknown[] = [];
  const place: Place = (value) => `$${values.push(value) + 1}`;
  const start = from && place(startOfDay(zone, from));
  const end = to && place(startOfDay(zone, nextDay(to)));
  // An answer of 300 or above is a failure.
  const isExact = http !== undefined && /^[345]\d\d$/.test(http);
  const isFailed = status === "failed" || isExact || /^[345]xx$/.test(http ?? "");
  const isSkippedOnly = status === "skipped" && !isFailed;
  // The indexes of one HTTP status and of skipped attempts have no channel.
  const isChannelIndexed = !isExact && !isSkippedOnly;

  const indexed: string[] = [];
  if (isFailed) indexed.push("a.status = 'failed'");
  if (isExact) indexed.push(`a.http_status = ${place(Number(http))}`);
  if (isSkippedOnly) indexed.push(SKIPPED);
  if (channel !== undefined && isChannelIndexed) indexed.push(`a.channel = ${place(channel)}`);
  if (start) indexed.push(sinceOf(start));
  if (end) indexed.push(untilOf(end));
  const indexedValues = [...values];

  const compared: string[] = [];
  if (channel !== undefined && !isChannelIndexed) compared.push(`a.channel = ${place(channel)}`);
  if (status === "delivered") compared.push(`a.status = 'delivered' AND NOT (${SKIPPED})`);
  if (status === "skipped" && isFailed) compared.push(SKIPPED);
  if (http !== undefined && !isExact) compared.push(statusIn(http, place));
  if (type !== undefined) compared.push(typeIs(type, place));
  if (start) compared.push(`a.created_at >= ${start}::timestamptz`);
  if (end) compared.push(`a.created_at < ${end}::timestamptz`);
  return {
    indexed: indexed.map((part) => ` AND ${part}`).join(""),
    indexedValues,
    compared: compared.map((part) => ` AND ${part}`).join(""),
    comparedValues: values.slice(indexedValues.length),
    readsQueue: type !== undefined,
  };
}

type Place = (value: unknown) => string;

function statusIn(http: string, place: Place): string {
  if (http === "none") return "a.http_status IS NULL";
  const first = Number(http.replace("xx", "00"));
  return `a.http_status BETWEEN ${place(first)} AND ${place(http.endsWith("xx") ? first + 99 : first)}`;
}

const typeIs = (type: string, place: Place): string =>
  type.endsWith("*")
    ? `starts_with(q.event_type, ${place(type.slice(0, -1))})`
    : `q.event_type = ${place(type)}`;

// Ids follow the time but for what commits at the same moment; the minute beside covers that, and
// the time itself is compared as well.
const sinceOf = (from: string) => `a.id >= (
  SELECT id FROM delivery_attempts WHERE shop = $1
    AND created_at >= ${from}::timestamptz - interval '1 minute' ORDER BY created_at LIMIT 1)`;
const untilOf = (end: string) => `a.id <= (
  SELECT id FROM delivery_attempts WHERE shop = $1
    AND created_at < ${end}::timestamptz + interval '1 minute' ORDER BY created_at DESC LIMIT 1)`;
