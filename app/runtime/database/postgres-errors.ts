// Postgres errors by their codes (https://www.postgresql.org/docs/current/errcodes-appendix.html)
// or by Prisma's (https://www.prisma.io/docs/orm/reference/error-reference), which contain the
// error of Postgres.

type DriverError = { code?: unknown; originalCode?: unknown };
type DatabaseError =
  | (DriverError & {
      meta?: { driverAdapterError?: { cause?: DriverError } };
    })
  | null;

function hasCode(error: unknown, ...codes: string[]): boolean {
  const { code, meta } = (error ?? {}) as NonNullable<DatabaseError>;
  const cause = meta?.driverAdapterError?.cause;
  return [code, cause?.originalCode, cause?.code].some((one) => codes.includes(one as string));
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
export const isDatabaseBusy = (error: unknown): boolean =>
  hasCode(error, "57014", "55P03", "40001", "40P01");

/** The server's disk, or a quota on it, has no room for what a statement writes. */
export const isDiskFull = (error: unknown): boolean => hasCode(error, "53100");

/** Every connection that the server allows is taken. */
export const isOutOfConnections = (error: unknown): boolean => hasCode(error, "53300");

export const OUT_OF_CONNECTIONS =
  "all of the server's connections are taken: end others, raise its max_connections, or lower DATABASE_POOL";
