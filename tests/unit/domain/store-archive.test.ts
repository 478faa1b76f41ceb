// One root per store in the archive: no path leads from one store's objects to another's.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { ObjectStore } from "../../../app/integrations/archive/object-store.ts";
import { openObjectStore } from "../../../app/integrations/archive/own-archive.ts";
import {
  openStoreRoots,
  type StoreArchive,
} from "../../../app/integrations/archive/store-archive.ts";

const MINE = "my-store.myshopify.com";
const THEIRS = "their-store.myshopify.com";
const folders: string[] = [];
let objects: ObjectStore;
let mine: StoreArchive;
let theirs: StoreArchive;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "store-archive-"));
  folders.push(folder);
  objects = openObjectStore(`file:${folder}`, "/");
  const archive = openStoreRoots(objects);
  [mine, theirs] = [archive.ofStore(MINE), archive.ofStore(THEIRS)];
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const textOf = async (archive: StoreArchive, path: string) =>
  (await archive.get(path))?.toString() ?? null;

describe("two stores", () => {
  it("have separate objects at the same path, each below its own root", async () => {
    await mine.put("events/erpsys/2026-01-01/e.json", "mine");
    await theirs.put("events/erpsys/2026-01-01/e.json", "theirs");
    expect(await textOf(mine, "events/erpsys/2026-01-01/e.json")).toBe("mine");
    expect(await textOf(theirs, "events/erpsys/2026-01-01/e.json")).toBe("theirs");
    expect(await objects.list("")).toEqual([
      `${MINE}/events/erpsys/2026-01-01/e.json`,
      `${THEIRS}/events/erpsys/2026-01-01/e.json`,
    ]);
    expect(mine.pathOf("a/b")).toBe(`${MINE}/a/b`);
  });

  it("list and delete their own objects only", async () => {
    for (const archive of [mine, theirs])
      for (const path of ["a/1", "a/2", "b/1"]) await archive.put(path, path);
    expect(await mine.list("a/")).toEqual(["a/1", "a/2"]);
    await mine.remove("a/1");
    expect(await mine.list("")).toEqual(["a/2", "b/1"]);
    expect(await mine.removeAll()).toBe(2);
    expect(await mine.list("")).toEqual([]);
    expect(readdirSync(folders.at(-1) as string)).toEqual([THEIRS]);
    expect(await theirs.list("")).toEqual(["a/1", "a/2", "b/1"]);
  });

  it("name and delete folders below their own root only", async () => {
    const { signal } = new AbortController();
    for (const archive of [mine, theirs]) await archive.put("events/cms/2026-01-01/1.json", "x");
    await theirs.put("events/erpsys/2026-01-01/1.json", "x");
    expect(await mine.folders("events/")).toEqual(["cms"]);
    expect(await mine.removeFolder("events/cms/2026-01-01/", signal)).toBe(1);
    expect(await theirs.list("")).toHaveLength(2);
    expect(() => mine.folders(`../${THEIRS}/events/`)).toThrow("leaves the archive");
    expect(() => mine.removeFolder("events/../../", signal)).toThrow("leaves the archive");
    expect(() => mine.removeFolder("", signal)).toThrow("leaves the archive");
  });

  it("are not mixed up when one name is a prefix of the other", async () => {
    const longer = openStoreRoots(objects).ofStore(`${MINE}.example`);
    await longer.put("a/1", "longer");
    expect(await mine.list("")).toEqual([]);
    expect(await mine.removeAll()).toBe(0);
    expect(await textOf(longer, "a/1")).toBe("longer");
  });
});

describe("an object that is not finished", () => {
  const filesBelow = (shop: string) =>
    readdirSync(join(folders.at(-1) as string, shop), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  it("leaves nothing behind when its write fails", async () => {
    await mine.put("gdpr/1.json", "first");
    await expect(mine.put("gdpr", "a file where a folder is")).rejects.toThrow();
    expect(filesBelow(MINE)).toEqual(["1.json"]);
  });

  it("is no object, and is deleted with what other dead writers of its store have left", async () => {
    for (const [archive, shop] of [
      [mine, MINE],
      [theirs, THEIRS],
    ] as const) {
      await archive.put("gdpr/1.json", "whole");
      const folder = join(folders.at(-1) as string, shop, ".unfinished");
      writeFileSync(join(folder, "123.dead.part"), "victim@example.com");
      expect(await archive.list("")).toEqual(["gdpr/1.json"]);
    }
    await mine.removeUnfinished();
    expect(filesBelow(MINE)).toEqual(["1.json"]);
    expect(filesBelow(THEIRS).sort()).toEqual(["1.json", "123.dead.part"]);
  });

  it("has a folder again after that was deleted", async () => {
    await mine.put("a/1", "one");
    await mine.removeUnfinished();
    await mine.put("a/1", "two");
    expect(await textOf(mine, "a/1")).toBe("two");
  });
});

describe("a path", () => {
  it.each([
    `../${THEIRS}/a/1`,
    `a/../../${THEIRS}/a/1`,
    `/${THEIRS}/a/1`,
    `..\\${THEIRS}\\a`,
    "a//b",
    "./a",
    "..",
    ".",
    "",
    "a/",
  ])("that leaves the root is rejected by every method: %j", async (path) => {
    await theirs.put("a/1", "theirs");
    const calls = [() => mine.put(path, "x"), () => mine.get(path), () => mine.remove(path)];
    for (const call of calls)
      await expect((async () => call())()).rejects.toThrow("leaves the archive of its store");
    expect(() => mine.urlOf(path)).toThrow("leaves the archive of its store");
    expect(await textOf(theirs, "a/1")).toBe("theirs");
  });

  it.each(["", "*", "..", "../x.myshopify.com", "a/b.myshopify.com", "Store.myshopify.com"])(
    "begins with a valid store domain: %j is rejected",
    (shop) => {
      expect(() => openStoreRoots(objects).ofStore(shop)).toThrow("is not a store domain");
    },
  );
});

describe("an older object without a root", () => {
  const SHARED = "events/erpsys/2025-01-01/e.json";
  const file = (shop: string) => objects.put(SHARED, JSON.stringify({ tenant_shop: shop }));

  it("is read, and deleted with its replacement, by the store whose name its content has", async () => {
    await file(THEIRS);
    expect(await mine.get(SHARED)).toBeNull();
    await mine.remove(SHARED);
    expect(await theirs.get(SHARED)).not.toBeNull();
    await theirs.put(SHARED, "new");
    expect(await textOf(theirs, SHARED)).toBe("new");
    await theirs.remove(SHARED);
    expect(await theirs.get(SHARED)).toBeNull();
    expect(await objects.list("")).toEqual([]);
  });

  it("is read, listed and deleted in the folders that name their store", async () => {
    const paths = [
      `consent/checkpoints/${MINE}/000000000001.json`,
      `gdpr/${MINE}/1.json`,
      `gdpr/${THEIRS}/1.json`,
    ];
    for (const path of paths) await objects.put(path, "{}");
    expect(await mine.list(`gdpr/${MINE}/`)).toEqual([`gdpr/${MINE}/1.json`]);
    expect(await mine.list(`consent/checkpoints/${MINE}/`)).toHaveLength(1);
    expect([await mine.list(`gdpr/${THEIRS}/`), await mine.get(`gdpr/${THEIRS}/1.json`)]).toEqual([
      [],
      null,
    ]);
    await mine.put(`gdpr/${MINE}/2.json`, "{}");
    expect(await mine.list(`gdpr/${MINE}/`)).toEqual([
      `gdpr/${MINE}/1.json`,
      `gdpr/${MINE}/2.json`,
    ]);
    await mine.remove(`gdpr/${MINE}/1.json`);
    expect(await mine.list(`gdpr/${MINE}/`)).toEqual([`gdpr/${MINE}/2.json`]);
  });

  it("is deleted with its store, and others stay", async () => {
    await file(MINE);
    await objects.put("events/cms/2025-01-01/f.json", JSON.stringify({ tenant_shop: THEIRS }));
    await objects.put("events/cms/2025-01-01/g.json", "no JSON");
    await objects.put(`gdpr/${MINE}/1.json`, "{}");
    await mine.put("events/cms/2026-01-01/h.json", "{}");
    expect(await mine.removeAll()).toBe(3);
    expect(await objects.list("")).toEqual([
      "events/cms/2025-01-01/f.json",
      "events/cms/2025-01-01/g.json",
    ]);
  });
});
