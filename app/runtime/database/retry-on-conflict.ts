// Two transactions write the same row or insert the same key at once: one of them fails, and finds
// the other's row when it runs again.
import { isDeadlock, isUniqueViolation } from "./postgres-errors.ts";

const MAX_ATTEMPTS = 3;

/**
 * Runs `work`, a whole transaction, again after a unique violation or a deadlock; rethrows it after
 * three attempts.
 */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = isUniqueViolation(error) || isDeadlock(error);
      if (!isConflict || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
