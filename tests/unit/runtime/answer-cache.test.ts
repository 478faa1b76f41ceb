import { describe, expect, it } from "vitest";
import { createAnswerCache } from "../../../app/runtime/answer-cache.ts";

type Answer = { text: string };

function newCache(maxSize = 10_000) {
  const asked: string[] = [];
  let now = 5_000;
  const cache = createAnswerCache<Answer>({
    clock: { now: () => new Date(now) },
    keptMs: 1_000,
    maxSize,
    sizeOf: ({ text }) => text.length,
  });
  const get = (key: string, text = "short") =>
    cache(key, () => {
      asked.push(key);
      return Promise.resolve({ text });
    });
  return { asked, cache, get, setTime: (ms: number) => (now = ms) };
}

describe("a kept answer", () => {
  it("is asked for once by concurrent and later callers, until its time is over", async () => {
    const { asked, get, setTime } = newCache();
    await Promise.all([get("a"), get("a")]);
    setTime(6_000);
    await get("a");
    expect(asked).toEqual(["a"]);
    setTime(6_001);
    await get("a");
    expect(asked).toEqual(["a", "a"]);
  });

  it("is not a failure", async () => {
    const { asked, cache, get } = newCache();
    await expect(cache("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await get("a")).toEqual({ text: "short" });
    expect(asked).toEqual(["a"]);
  });

  it("makes room when all together are too large, the one not asked for longest first", async () => {
    const { asked, get } = newCache();
    const long = "x".repeat(4_000);
    for (const key of ["a", "b", "a", "c"]) await get(key, long);
    expect(asked).toEqual(["a", "b", "c"]);
    for (const key of ["a", "c", "b"]) await get(key, long);
    expect(asked).toEqual(["a", "b", "c", "b"]);
  });

  it("that is too large alone is answered and not kept", async () => {
    const { asked, get } = newCache();
    await get("small");
    const long = "x".repeat(20_000);
    for (const n of [1, 2]) expect([n, (await get("a", long)).text.length]).toEqual([n, 20_000]);
    await get("small");
    expect(asked).toEqual(["small", "a", "a"]);
  });

  it("reaches those who wait for it although others took its place", async () => {
    const { asked, cache, get } = newCache();
    let answer = (_text: string): void => undefined;
    const waiting = cache(
      "slow",
      () => new Promise((resolve) => (answer = (text) => resolve({ text }))),
    );
    for (const key of ["a", "b", "c", "d"]) await get(key, "x".repeat(4_000));
    answer("late");
    expect(await waiting).toEqual({ text: "late" });
    expect(asked).toEqual(["a", "b", "c", "d"]);
  });

  it("counts with its key: many short answers are not kept without end", async () => {
    const { asked, get } = newCache();
    const keys = Array.from({ length: 50 }, (_, n) => `${n} ${"k".repeat(300)}`);
    for (const key of keys) await get(key, "");
    await get(keys[0] as string, "");
    expect(asked.length).toBe(51);
  });
});
