// When a worker claims again: rarely enough for large batches, and soon enough to keep all slots busy.
import { describe, expect, test } from "vitest";
import {
  createChannelScheduler,
  INITIAL_BATCH,
} from "../../../app/domain/bus/channel-scheduler.ts";

const rowsOf = (shop: string, count: number) => Array.from({ length: count }, () => ({ shop }));
const finish = (
  scheduler: ReturnType<typeof createChannelScheduler>,
  shop: string,
  count: number,
) => Array.from({ length: count }, () => scheduler.finish(shop)).indexOf(true) + 1;

describe("the channel scheduler", () => {
  test("does not claim again after a claim below capacity until it is notified of more", () => {
    const scheduler = createChannelScheduler();
    scheduler.reserve(rowsOf("a", 3), scheduler.capacity());
    expect(finish(scheduler, "a", 3)).toBe(0);
    expect(scheduler.notify()).toBe(true);
  });

  test("claims again when half of a store's initial batch is done", () => {
    const scheduler = createChannelScheduler();
    scheduler.reserve(rowsOf("a", INITIAL_BATCH), scheduler.capacity());
    expect(finish(scheduler, "a", INITIAL_BATCH)).toBe(INITIAL_BATCH / 2);
  });

  test("gives an active store more slots, and none beyond its limit", () => {
    const scheduler = createChannelScheduler();
    scheduler.reserve(rowsOf("a", INITIAL_BATCH), scheduler.capacity());
    expect(scheduler.capacity().limits).toEqual(new Map([["a", 0]]));
    scheduler.tenantChannelOf("a").isProven = true;
    expect(scheduler.capacity().limits).toEqual(new Map([["a", 24]]));
    scheduler.reserve(rowsOf("a", 24), scheduler.capacity());
    expect(finish(scheduler, "a", 32)).toBe(16);
  });

  test("claims a store's next rows although another store's hang", () => {
    const scheduler = createChannelScheduler();
    scheduler.tenantChannelOf("hanging").isProven = true;
    scheduler.reserve(rowsOf("hanging", 32), scheduler.capacity());
    scheduler.reserve(rowsOf("b", INITIAL_BATCH), scheduler.capacity());
    expect(finish(scheduler, "b", INITIAL_BATCH)).toBe(INITIAL_BATCH / 2);
  });

  test("when full waits for room for a useful batch after a notification, and never exceeds its concurrency limit", () => {
    const scheduler = createChannelScheduler();
    const stores = Array.from({ length: 16 }, (_, n) => `store-${n}`);
    const { limit } = scheduler.capacity();
    scheduler.reserve(
      stores.flatMap((shop) => rowsOf(shop, limit / 16)),
      scheduler.capacity(),
    );
    expect(scheduler.capacity().limit).toBe(0);
    expect(scheduler.notify()).toBe(false);
    expect(stores.slice(0, 3).map((shop) => finish(scheduler, shop, limit / 16))).toEqual([
      8, 8, 4,
    ]);
  });

  test("claims again when notified during a claim, although that claim returned less than its capacity", () => {
    const scheduler = createChannelScheduler();
    const capacity = scheduler.capacity();
    scheduler.notify();
    scheduler.reserve(rowsOf("a", 2), capacity);
    expect(finish(scheduler, "a", 2)).toBe(1);
  });

  test("starts its next claim after the last store that it served while there is more, and at the first store otherwise", () => {
    const scheduler = createChannelScheduler();
    scheduler.reserve([...rowsOf("a", 1), ...rowsOf("b", INITIAL_BATCH)], scheduler.capacity());
    expect(scheduler.fromShop > "b" && scheduler.fromShop < "c").toBe(true);
    scheduler.reserve([], { limit: 1, limits: new Map() });
    expect(scheduler.fromShop).toBe("");
  });
});
