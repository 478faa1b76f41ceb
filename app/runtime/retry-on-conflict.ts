// Two transactions that write the same row or insert the same key at once: one of them fails and finds what the other
// wrote when it runs again.
const UNIQUE_VIOLATION = "23505";
const DEADLOCK = "40P01";
const MAX_ATTEMPTS = 3;

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

/** Runs `work`, a whole transaction, again after a unique violation or a deadlock; throws it after three attempts. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = isUniqueViolation(error) || codeOf(error) === DEADLOCK;
      if (!isConflict || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
