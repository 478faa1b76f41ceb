// One wide JSON line per event. Values of fields with secret or personal names are redacted here,
// and so is every email address inside a text.
import { pino, type DestinationStream, type Logger } from "pino";

type LogFields = Record<string, unknown>;

export type Log = {
  /** A completed event: `noun.verb_past` and all useful fields. */
  info(event: string, fields?: LogFields): void;
  /** A failure that time or an operator can resolve. */
  warn(event: string, fields?: LogFields): void;
  /** Our own bug: logged once, with its stack. */
  error(event: string, error: unknown, fields?: LogFields): void;
  with(fields: LogFields): Log;
  /** The same log without what is only information. */
  quiet(): Log;
};

const SECRET_NAME =
  /(secret|token|password(_?hash)?|authorization|cookie|api_?key|admin_?key|credentials?|signature|hmac)$/i;
const PERSONAL_NAME = /^(email|phone|first_?name|last_?name|full_?name|body|payload)$/i;

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,}/gu;
const BEARER = /\bBearer\s+\S+/gi;
const MAX_DEPTH = 6;
/** Truncates long texts, so that searching them for addresses stays cheap. */
const MAX_TEXT_LENGTH = 20_000;

/** Other systems repeat sent data in their error messages. */
function hide(whole: string): string {
  const text =
    whole.length > MAX_TEXT_LENGTH
      ? `${whole.slice(0, MAX_TEXT_LENGTH)} (${whole.length - MAX_TEXT_LENGTH} more)`
      : whole;
  const withoutAddress =
    text.includes("@") || text.includes("%40") ? text.replace(ADDRESS, "[email]") : text;
  return withoutAddress.replace(BEARER, "Bearer [redacted]");
}

function scrubValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (depth > MAX_DEPTH) return "[too deep]";
  return Array.isArray(value)
    ? value.map((one) => scrubValue(one, depth + 1))
    : scrub(value as LogFields, depth);
}

function scrub(fields: LogFields, depth = 0): LogFields {
  const isHidden = (name: string) => SECRET_NAME.test(name) || PERSONAL_NAME.test(name);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isHidden(name) ? "[redacted]" : scrubValue(value, depth + 1),
    ]),
  );
}

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: () => `,"at":"${new Date().toISOString()}"` };
  return wrap(destination ? pino(options, destination) : pino(options));
}

function wrap(logger: Logger): Log {
  return {
    info(event, fields = {}) {
      if (logger.isLevelEnabled("info")) logger.info({ event, ...scrub(fields) });
    },
    warn: (event, fields = {}) => logger.warn({ event, ...scrub(fields) }),
    error: (event, error, fields = {}) =>
      logger.error({
        event,
        ...scrub(fields),
        error: hide(error instanceof Error ? error.message : String(error)),
        stack: error instanceof Error && error.stack ? hide(error.stack) : undefined,
      }),
    with: (fields) => wrap(logger.child(scrub(fields))),
    quiet: () => wrap(logger.isLevelEnabled("info") ? logger.child({}, { level: "warn" }) : logger),
  };
}
