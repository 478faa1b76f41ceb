// Postgres errors by their codes (https://www.postgresql.org/docs/current/errcodes-appendix.html)
// or by Prisma's (https://www.prisma.io/docs/orm/reference/error-reference), which contain the
// error of Postgres.

type DriverError = { code?: unknown; originalCode?: unknown };
type DatabaseError =
  | (DriverError & {
      message?: unknown;
      severity?: unknown;
      meta?: { driverAdapterError?: { cause?: DriverError } };
    })
  | null;

function hasCode(error: unknown, ...codes: string[]): boolean {
  const { code, meta } = (error ?? {}) as NonNullable<DatabaseError>;
  const cause = meta?.driverAdapterError?.cause;
  return [code, cause?.originalCode, cause?.code].some((one) => codes.includes(one as string));
}

const UNREACHABLE: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  // No name server answers.
  "EAI_AGAIN",
]);

/** The connection could not be opened, or broke. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  // A stopped server has removed its Unix socket. Of the call, Prisma keeps the message only.
  return UNREACHABLE.has(code) || (code === "ENOENT" && /\bconnect ENOENT /.test(String(message)));
}

/** A row with this key exists. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, "23505", "P2002");

/**
 * The store is being moved to another cell and takes no writes at this moment, or is gone from this cell:
 * raised by `refuse_moving_store`.
 */
export const isStoreMoving = (error: unknown): boolean => hasCode(error, "SM001");

/** Waiting for a lock took longer than the statement's `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, "55P03");

/** A deadlock: Postgres aborted this transaction. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, "40P01");

/**
 * Postgres gave a statement up for a reason that passes: a time limit of the database's own, a lock, or another
 * transaction. The request may be repeated.
 */
const isDatabaseBusy = (error: unknown): boolean =>
  hasCode(error, "57014", "55P03", "40001", "40P01");

/** The server's disk, or a quota on it, has no room for what a statement writes. */
export const isDiskFull = (error: unknown): boolean => hasCode(error, "53100");

/** Every connection that the server allows is taken. */
export const isOutOfConnections = (error: unknown): boolean => hasCode(error, "53300");

export const OUT_OF_CONNECTIONS =
  "all of the server's connections are taken: end others, raise its max_connections, or lower DATABASE_POOL";

/** SQLSTATE read_only_sql_transaction: also what a standby answers to a write. */
export const READ_ONLY = "25006";

/** SQLSTATE classes: the connection failed, the server stops or starts, or it is out of a resource. */
const AWAY_CLASSES = /^(08|57P|53)/;
const AWAY_CODES: ReadonlySet<string> = new Set([
  // A standby, or a primary that was made read-only: the one that accepts writes is elsewhere.
  READ_ONLY,
  "P1001",
  "P1008",
  "P1017",
  "P2037",
]);
/** Errors of the drivers that have no code. */
const AWAY_MESSAGES =
  /Connection terminated|is not queryable|Database error\. Code: `(08|57P|53|25006)|Query read timeout|timeout exceeded when trying to connect|Can't reach database/;

/**
 * Whether Postgres is unreachable, or takes no writes of a store that is being moved, as opposed to
 * rejecting the statement: background work comes back later.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isStoreMoving(error)) return true;
  const { code, message, severity, meta } = (error ?? {}) as NonNullable<DatabaseError>;
  // Prisma has its own codes; the error of Postgres is inside.
  const cause = meta?.driverAdapterError?.cause;
  if (cause && isDatabaseAway(cause)) return true;
  // FATAL is about the connection, never about a statement.
  if (severity === "FATAL" || isUnreachable(error)) return true;
  if (typeof code === "string" && (AWAY_CLASSES.test(code) || AWAY_CODES.has(code))) return true;
  return typeof message === "string" && AWAY_MESSAGES.test(message);
}

/** Whether the database failed for a reason that passes: the same work may succeed later, and nothing counts as done. */
export const isPassingDatabaseError = (error: unknown): boolean =>
  isDatabaseAway(error) || isDatabaseBusy(error);
