// Concurrent writers share one commit, and one bad row fails only its own caller.
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createGroupCommit } from "../../../app/runtime/database/group-commit.ts";

const rowFault = () => Object.assign(new Error("bad row"), { code: "23505" });

/** A flush that records its batches and waits for a signal. */
function gate() {
  const batches: number[][] = [];
  const waiting: (() => void)[] = [];
  return {
    batches,
    waiting,
    flush: async (items: number[]) => {
      batches.push(items);
      await new Promise<void>((open) => waiting.push(open));
      return items.map((item) => item * 10);
    },
  };
}

describe("a batch", () => {
  test("contains everything of one event loop turn, and each caller gets its own result", async () => {
    const batches: number[][] = [];
    const group = createGroupCommit(
      async (items: number[]) => (batches.push(items), items.map((item) => item * 10)),
    );
    expect(await Promise.all([1, 2, 3, 4].map((item) => group.add(item)))).toEqual([
      10, 20, 30, 40,
    ]);
    expect(batches).toEqual([[1, 2, 3, 4]]);
  });

  test("of one is flushed without waiting", async () => {
    const group = createGroupCommit((items: number[]) => Promise.resolve(items));
    expect(await group.add(7)).toBe(7);
  });

  test("resolves only after its flush has finished", async () => {
    const { flush, waiting } = gate();
    const group = createGroupCommit(flush);
    let isAnswered = false;
    const added = group.add(1).then(() => (isAnswered = true));
    while (waiting.length === 0) await nextTurn();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(isAnswered).toBe(false);
    waiting.shift()?.();
    await added;
    expect(isAnswered).toBe(true);
  });

  test("never exceeds the maximum size, and flushes never exceed the maximum concurrency", async () => {
    let running = 0;
    let most = 0;
    const sizes: number[] = [];
    const group = createGroupCommit(
      async (items: number[]) => {
        most = Math.max(most, (running += 1));
        sizes.push(items.length);
        await nextTurn();
        running -= 1;
        return items;
      },
      { maxItems: 10, flushers: 3 },
    );
    const items = Array.from({ length: 205 }, (_, index) => index);
    expect(await Promise.all(items.map((item) => group.add(item)))).toEqual(items);
    expect([Math.max(...sizes), most, sizes.reduce((sum, size) => sum + size)]).toEqual([
      10, 3, 205,
    ]);
  });

  test("collects what arrives while all flushers are busy", async () => {
    const { flush, batches, waiting } = gate();
    const group = createGroupCommit(flush, { flushers: 1 });
    const first = group.add(1);
    while (waiting.length < 1) await nextTurn();
    const rest = Promise.all([2, 3, 4].map((item) => group.add(item)));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(batches).toEqual([[1]]);
    expect(group.size).toBe(4);
    waiting.shift()?.();
    while (waiting.length < 1) await nextTurn();
    waiting.shift()?.();
    expect([await first, ...(await rest)]).toEqual([10, 20, 30, 40]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });
});

describe("during a flush", () => {
  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };

  test("a further one starts for many rows, and not for few", async () => {
    const { flush, batches, waiting } = gate();
    const group = createGroupCommit(flush);
    const first = group.add(0);
    await turns();
    const few = group.add(1);
    await turns();
    expect(batches.map(({ length }) => length)).toEqual([1]);
    const many = Array.from({ length: 63 }, (_, index) => group.add(index));
    await turns();
    expect(batches.map(({ length }) => length)).toEqual([1, 64]);
    for (const open of waiting.splice(0)) open();
    await Promise.all([first, few, ...many]);
  });

  test("few rows do not wait for a flush that hangs", async () => {
    const { flush, batches, waiting } = gate();
    const group = createGroupCommit(flush);
    const stuck = group.add(1);
    while (waiting.length < 1) await nextTurn();
    const late = group.add(2);
    while (waiting.length < 2) await nextTurn();
    waiting.pop()?.();
    expect(await late).toBe(20);
    expect(batches).toEqual([[1], [2]]);
    waiting.pop()?.();
    expect(await stuck).toBe(10);
  });
});

describe("a bad row", () => {
  test.each([1, 2, 7, 16, 100])("fails its own caller and none of %i others", async (size) => {
    const stored: number[] = [];
    const group = createGroupCommit((items: number[]) => {
      if (items.includes(-1)) return Promise.reject(rowFault());
      stored.push(...items);
      return Promise.resolve(items);
    });
    const items = Array.from({ length: size }, (_, index) => index);
    const outcomes = await Promise.allSettled(
      [...items.slice(0, size >> 1), -1, ...items.slice(size >> 1)].map((item) => group.add(item)),
    );
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(outcomes[size >> 1]).toMatchObject({
      status: "rejected",
      reason: { message: "bad row" },
    });
    expect(stored.sort((a, b) => a - b)).toEqual(items);
    await nextTurn();
    expect(group.size).toBe(0);
  });

  test("among other bad rows fails only with them", async () => {
    const group = createGroupCommit((items: number[]) =>
      items.some((item) => item % 3 === 0) ? Promise.reject(rowFault()) : Promise.resolve(items),
    );
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => group.add(index)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? "rejected" : "fulfilled")),
    );
  });
});

describe("an error that no single row caused", () => {
  test("fails the whole batch without a retry, and the next batch works", async () => {
    let flushes = 0;
    const group = createGroupCommit((items: number[]) =>
      (flushes += 1) === 1
        ? Promise.reject(Object.assign(new Error("connection lost"), { code: "08006" }))
        : Promise.resolve(items),
    );
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect([flushes, await group.add(4)]).toEqual([1, 4]);
    await nextTurn();
    expect(group.size).toBe(0);
  });

  test("also when flush throws instead of rejecting", async () => {
    const group = createGroupCommit<number, number>(() => {
      throw new Error("thrown");
    });
    await expect(group.add(1)).rejects.toThrow("thrown");
    await nextTurn();
    expect(group.size).toBe(0);
  });
});
