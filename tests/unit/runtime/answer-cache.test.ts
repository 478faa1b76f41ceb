import { describe, expect, it } from "vitest";
import { createAnswerCache } from "../../../app/runtime/answer-cache.ts";

function newCache(maxSize = 10_000) {
  const asked: string[] = [];
  const cache = createAnswerCache<string>({
    keptMs: 1_000,
    maxSize,
    sizeOf: ({ length }) => length,
  });
  const get = (key: string, { now = 0, answer = "short" } = {}) =>
    cache(key, now, () => {
      asked.push(key);
      return Promise.resolve(answer);
    });
  return { asked, cache, get };
}

describe("a kept answer", () => {
  it("is asked for once by concurrent and later callers, until its time is over", async () => {
    const { asked, get } = newCache();
    await Promise.all([get("a"), get("a")]);
    await get("a", { now: 999 });
    expect(asked).toEqual(["a"]);
    await get("a", { now: 1_000 });
    expect(asked).toEqual(["a", "a"]);
  });

  it("is not a failure", async () => {
    const { asked, cache, get } = newCache();
    await expect(cache("a", 0, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await get("a")).toBe("short");
    expect(asked).toEqual(["a"]);
  });

  it("makes room when all together are too large, the oldest first", async () => {
    const { asked, get } = newCache();
    for (const key of ["a", "b", "c"]) await get(key, { answer: "x".repeat(4_000) });
    for (const key of ["c", "b"]) await get(key);
    expect(asked).toEqual(["a", "b", "c"]);
    await get("a");
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });

  it("that is too large alone is answered and not kept", async () => {
    const { asked, get } = newCache();
    await get("small");
    for (const n of [1, 2])
      expect([n, (await get("a", { answer: "x".repeat(20_000) })).length]).toEqual([n, 20_000]);
    expect(asked).toEqual(["small", "a", "a"]);
  });

  it("counts with its key: many short answers are not kept without end", async () => {
    const { asked, get } = newCache();
    const keys = Array.from({ length: 50 }, (_, n) => `${n} ${"k".repeat(300)}`);
    for (const key of keys) await get(key, { answer: "" });
    await get(keys[0] as string, { answer: "" });
    expect(asked.length).toBe(51);
  });
});
