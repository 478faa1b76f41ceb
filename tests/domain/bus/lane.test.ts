// When a worker claims again: seldom enough that a claim brings many rows, and soon enough that nobody stands idle.
import { describe, expect, test } from "vitest";
import { createLane, FIRST_ROWS } from "../../../app/domain/bus/lane.ts";

const rowsOf = (shop: string, count: number) => Array.from({ length: count }, () => ({ shop }));
const finish = (lane: ReturnType<typeof createLane>, shop: string, count: number) =>
  Array.from({ length: count }, () => lane.finish(shop)).indexOf(true) + 1;

describe("a lane", () => {
  test("that got less than it had room for does not ask again until it hears of more", () => {
    const lane = createLane();
    lane.take(rowsOf("a", 3), lane.room());
    expect(finish(lane, "a", 3)).toBe(0);
    expect(lane.hear()).toBe(true);
  });

  test("asks again when half of a store's first rows are done", () => {
    const lane = createLane();
    lane.take(rowsOf("a", FIRST_ROWS), lane.room());
    expect(finish(lane, "a", FIRST_ROWS)).toBe(FIRST_ROWS / 2);
  });

  test("gives a store that works more places, and one that has all of its places no more", () => {
    const lane = createLane();
    lane.take(rowsOf("a", FIRST_ROWS), lane.room());
    expect(lane.room().places).toEqual(new Map([["a", 0]]));
    lane.pairOf("a").isProven = true;
    expect(lane.room().places).toEqual(new Map([["a", 24]]));
    lane.take(rowsOf("a", 24), lane.room());
    expect(finish(lane, "a", 32)).toBe(16);
  });

  test("asks for a store's next rows although another's hang", () => {
    const lane = createLane();
    lane.pairOf("hanging").isProven = true;
    lane.take(rowsOf("hanging", 32), lane.room());
    lane.take(rowsOf("b", FIRST_ROWS), lane.room());
    expect(finish(lane, "b", FIRST_ROWS)).toBe(FIRST_ROWS / 2);
  });

  test("that is full waits for room for a good batch when it hears of more, and never has more in hand than its places", () => {
    const lane = createLane();
    const stores = Array.from({ length: 16 }, (_, n) => `store-${n}`);
    const { limit } = lane.room();
    lane.take(
      stores.flatMap((shop) => rowsOf(shop, limit / 16)),
      lane.room(),
    );
    expect(lane.room().limit).toBe(0);
    expect(lane.hear()).toBe(false);
    expect(stores.slice(0, 3).map((shop) => finish(lane, shop, limit / 16))).toEqual([8, 8, 4]);
  });

  test("that hears of more while a claim is under way asks again, although the claim brought less than it had room for", () => {
    const lane = createLane();
    const room = lane.room();
    lane.hear();
    lane.take(rowsOf("a", 2), room);
    expect(finish(lane, "a", 2)).toBe(1);
  });

  test("begins its next claim behind the last store that it served while there is more, and at the first store when there is not", () => {
    const lane = createLane();
    lane.take([...rowsOf("a", 1), ...rowsOf("b", FIRST_ROWS)], lane.room());
    expect(lane.startAt > "b" && lane.startAt < "c").toBe(true);
    lane.take([], { limit: 1, places: new Map() });
    expect(lane.startAt).toBe("");
  });
});
