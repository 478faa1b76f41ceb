// Concurrent writers share one commit. A batch is flushed as soon as a flusher is free (no timer,
// so a single writer does not wait), and a caller's promise settles only after the batch's COMMIT.

import { isStoreMoving } from "./postgres-errors.ts";

export type GroupCommit<Item, Result> = {
  /** Rejects with the error of `flush` for this item only; other items are unaffected. */
  add(item: Item): Promise<Result>;
  /** Items accepted and not yet settled. */
  readonly size: number;
};

/**
 * During a flush another one starts only with this many items, since small batches cost more than
 * they gain; or after this time, so that a stuck statement does not block the others.
 */
const MIN_ITEMS_PER_FLUSH = 64;
const LONG_MS = 25;

type Waiting<Item, Result> = {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

export type GroupCommitOptions = { maxItems?: number; flushers?: number };

/**
 * Postgres classes 22 (data), 23 (constraint) and 54 (too deep, too long) mean an invalid row;
 * other errors (a lost connection) are not caused by a row.
 */
export function isRowFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^(22|23|54)/.test(code);
}

/**
 * `flush` gets the items of one batch and returns one result per item, in order. When a row is
 * rejected, the batch is halved and retried until the invalid row is alone: one invalid row must
 * not fail 499 others.
 */
export function createGroupCommit<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  options: GroupCommitOptions = {},
): GroupCommit<Item, Result> {
  const { maxItems = 500, flushers = 2 } = options;
  const queue: Waiting<Item, Result>[] = [];
  let size = 0;
  /** How many flushes run, and when the last one began. */
  let flushing = 0;
  let begunAt = 0;
  let isPumpDue = false;
  let laterPump: NodeJS.Timeout | undefined;

  const isLong = () => performance.now() - begunAt >= LONG_MS;
  const mayBegin = () =>
    queue.length > 0 &&
    (flushing === 0 || (flushing < flushers && (queue.length >= MIN_ITEMS_PER_FLUSH || isLong())));

  function pump(): void {
    isPumpDue = false;
    while (mayBegin()) {
      const batch = queue.splice(0, maxItems);
      flushing += 1;
      begunAt = performance.now();
      void settle(flush, batch).finally(() => {
        flushing -= 1;
        size -= batch.length;
        pump();
      });
    }
    if (queue.length > 0 && flushing < flushers) laterPump ??= setTimeout(pumpLater, LONG_MS);
  }

  function pumpLater(): void {
    laterPump = undefined;
    pump();
  }

  return {
    add(item) {
      size += 1;
      return new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        // Waits one turn of the event loop, so that every request of this tick joins the batch.
        if (!isPumpDue) {
          isPumpDue = true;
          setImmediate(pump);
        }
      });
    },
    get size() {
      return size;
    },
  };
}

async function settle<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  batch: Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await flush(batch.map((waiting) => waiting.item));
    batch.forEach((waiting, index) => waiting.resolve(results[index] as Result));
  } catch (error) {
    // A store that is being moved must not fail the others of its batch.
    if (batch.length === 1 || !(isRowFault(error) || isStoreMoving(error)))
      return batch.forEach((waiting) => waiting.reject(error));
    const half = batch.length >> 1;
    await settle(flush, batch.slice(0, half));
    await settle(flush, batch.slice(half));
  }
}
