// One wide JSON line per thing done. Anything whose name says that it is secret is blanked here, at the last moment.
import { pino, type DestinationStream, type Logger } from "pino";

export type LogFields = Record<string, unknown>;

export type Log = {
  /** Something was done: `noun.verb_past` and everything worth knowing about it. */
  done(event: string, fields?: LogFields): void;
  /** Something was tried and did not work, and time or an operator will mend it. */
  troubled(event: string, fields?: LogFields): void;
  /** Our own bug: logged once, with its stack. */
  failed(event: string, error: unknown, fields?: LogFields): void;
  with(fields: LogFields): Log;
};

const SECRET_NAME = /(secret|token|password|authorization|cookie|api_?key|admin_?key|credentials?|signature|hmac)$/i;
const PERSONAL_NAME = /^(email|phone|first_?name|last_?name|full_?name|body|payload)$/i;

function scrub(fields: LogFields, depth = 0): LogFields {
  const clean: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET_NAME.test(name) || PERSONAL_NAME.test(name)) clean[name] = "[redacted]";
    else if (value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Date) && depth < 4)
      clean[name] = scrub(value as LogFields, depth + 1);
    else clean[name] = typeof value === "bigint" ? String(value) : value;
  }
  return clean;
}

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: () => `,"at":"${new Date().toISOString()}"` };
  return wrap(destination ? pino(options, destination) : pino(options));
}

function wrap(logger: Logger): Log {
  return {
    done: (event, fields = {}) => logger.info({ event, ...scrub(fields) }),
    troubled: (event, fields = {}) => logger.warn({ event, ...scrub(fields) }),
    failed: (event, error, fields = {}) =>
      logger.error({ event, ...scrub(fields), error: error instanceof Error ? error.message : String(error), stack: error instanceof Error ? error.stack : undefined }),
    with: (fields) => wrap(logger.child(scrub(fields))),
  };
}
