// One wide JSON line per thing done. Anything whose name says that it is secret or personal is blanked here, at the last
// moment, and so is every e-mail address inside a text.
import { pino, type DestinationStream, type Logger } from "pino";

type LogFields = Record<string, unknown>;

export type Log = {
  /** Something was done: `noun.verb_past` and everything worth knowing about it. */
  done(event: string, fields?: LogFields): void;
  /** Something was tried and did not work, and time or an operator will mend it. */
  troubled(event: string, fields?: LogFields): void;
  /** Our own bug: logged once, with its stack. */
  failed(event: string, error: unknown, fields?: LogFields): void;
  with(fields: LogFields): Log;
};

const SECRET_NAME =
  /(secret|token|password(_?hash)?|authorization|cookie|api_?key|admin_?key|credentials?|signature|hmac)$/i;
const PERSONAL_NAME = /^(email|phone|first_?name|last_?name|full_?name|body|payload)$/i;

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,}/gu;
const BEARER = /\bBearer\s+\S+/gi;
const DEEPEST = 6;
/** A line is for people to read, and the search for addresses must not cost more than the work that it tells of. */
const MAX_TEXT_LENGTH = 20_000;

/** Other systems repeat in their errors what they were sent. */
function hide(whole: string): string {
  const text =
    whole.length > MAX_TEXT_LENGTH
      ? `${whole.slice(0, MAX_TEXT_LENGTH)} (${whole.length - MAX_TEXT_LENGTH} more)`
      : whole;
  const withoutAddress =
    text.includes("@") || text.includes("%40") ? text.replace(ADDRESS, "[e-mail]") : text;
  return withoutAddress.replace(BEARER, "Bearer [redacted]");
}

function scrubValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (depth > DEEPEST) return "[too deep]";
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
    done(event, fields = {}) {
      if (logger.isLevelEnabled("info")) logger.info({ event, ...scrub(fields) });
    },
    troubled: (event, fields = {}) => logger.warn({ event, ...scrub(fields) }),
    failed: (event, error, fields = {}) =>
      logger.error({
        event,
        ...scrub(fields),
        error: hide(error instanceof Error ? error.message : String(error)),
        stack: error instanceof Error && error.stack ? hide(error.stack) : undefined,
      }),
    with: (fields) => wrap(logger.child(scrub(fields))),
  };
}
