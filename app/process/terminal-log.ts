// The log as a person at a terminal reads it, in the sandbox and in development: one line per thing.
// Elsewhere it stays JSON.
import type { DestinationStream } from "pino";
import { prettyFactory } from "pino-pretty";

type Entry = Record<string, unknown> & { level: number; event: string };

const WARN = 40;
const MAX_VALUE_LENGTH = 120;
const MAX_LISTED = 4;
/** Present in the line already, or of use only to a machine. */
const LEFT_OUT = new Set(["level", "at", "event", "stack", "request_id", "queue_id", "worker"]);
/** Steps on the way to something that has a line of its own, or a place in the console. */
const DETAILS = new Set([
  "dead_letter.archived",
  "loader_metafield.written",
  "outbound.called",
  "scheduled_run.finished",
  "webhook.handled",
  "webhooks.registered",
]);

/** Writes each entry as one line; an error's stack stands below it. `isDetailed` shows every step. */
export function createTerminalLog(options: {
  write(text: string): void;
  hasColours: boolean;
  isDetailed: boolean;
}): DestinationStream {
  const toText = prettyFactory({
    colorize: options.hasColours,
    timestampKey: "at",
    translateTime: "SYS:HH:MM:ss",
    hideObject: true,
    // Ours, and not the process's own, which would stand in front of the event.
    ignore: "pid",
    messageFormat: (entry) => describe(entry as Entry),
  });
  return {
    write(line) {
      const entry = JSON.parse(line) as Entry;
      if (options.isDetailed || !isDetail(entry)) options.write(toText(entry));
    },
  };
}

function isDetail({ event, level, status, outcome, failed, refused }: Entry): boolean {
  if (event === "request.served" || event === "screen.served") return Number(status) < 400;
  if (event === "delivery.attempted") return outcome === "delivered";
  if (event === "customer_sync.finished" || event === "cms_sync.finished")
    return outcome === "done" && failed === 0;
  if (event === "webhooks.registered" && Array.isArray(refused) && refused.length > 0) return false;
  return DETAILS.has(event) && (level < WARN || event === "dead_letter.archived");
}

function describe(entry: Entry): string {
  const fields = Object.entries(entry).flatMap(([name, value]) => {
    const text = LEFT_OUT.has(name) ? "" : show(value);
    return text === "" ? [] : [`${name}=${text}`];
  });
  const stack =
    typeof entry.stack === "string" ? `\n${entry.stack}`.replaceAll("\n", "\n    ") : "";
  return printable([entry.event, ...fields].join(" ") + stack);
}

function show(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value))
    return value.length > MAX_LISTED ? `"${value.length} items"` : value.map(show).join(",");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const short = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
  return typeof value === "string" && !/^[\w.:/@+-]+…?$/.test(short)
    ? JSON.stringify(short)
    : short;
}

/** Other systems' texts must not move the cursor or change colours. */
const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
