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

/** A deadlock: Postgres aborted this transaction. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, "40P01");
