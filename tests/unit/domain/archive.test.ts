import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ObjectStore } from "../../../app/integrations/archive/object-store.ts";
import { openObjectStore } from "../../../app/integrations/archive/own-archive.ts";
import { OutboundError } from "../../../app/runtime/errors.ts";
import { PAGE, startBucket, useBucketKeys, type TestBucket } from "../../support/bucket.ts";

let root: string;
let bucket: TestBucket;
let endpoint: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "archive-test-"));
  useBucketKeys();
  bucket = await startBucket();
  endpoint = bucket.endpoint;
});
afterEach(() => {
  rmSync(join(root, "objects"), { recursive: true, force: true });
  bucket.objects.clear();
  bucket.requests.length = 0;
  bucket.feel("well");
});
afterAll(() => {
  bucket.stop();
  rmSync(root, { recursive: true, force: true });
});

const kinds: [string, () => ObjectStore][] = [
  ["a folder", () => openObjectStore("file:objects", root)],
  ["a bucket", () => openObjectStore(`s3://crm?endpoint=${endpoint}`, root)],
  [
    "a bucket with a prefix",
    () => openObjectStore(`s3://crm/a/b/?endpoint=${endpoint}&region=eu-west-1`, root),
  ],
];

describe.each(kinds)("%s", (_, open) => {
  it("returns the stored bytes of the latest object at a path", async () => {
    const archive = open();
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    await archive.put("x/one.bin", "old", "text/plain");
    await archive.put("x/one.bin", bytes);
    expect(await archive.get("x/one.bin")).toEqual(bytes);
    expect(await archive.list("x/")).toEqual(["x/one.bin"]);
  });

  it("returns null for a missing object, and an empty list for an empty prefix", async () => {
    const archive = open();
    expect([await archive.get("x/nothing.json"), await archive.list("x/")]).toEqual([null, []]);
  });

  it("lists everything with a prefix, sorted, and no other objects", async () => {
    const archive = open();
    const names = Array.from({ length: 8 }, (_unused, n) => `list/${8 - n}.json`);
    for (const name of [...names, "lists/9.json", "other/1.json"]) await archive.put(name, name);
    expect(await archive.list("list/")).toEqual(names.toSorted());
  });

  it("deletes one object only, and accepts a missing one", async () => {
    const archive = open();
    for (const path of ["r/1", "r/2"]) await archive.put(path, path);
    for (const __ of [1, 2]) await archive.remove("r/1");
    expect(await archive.list("r/")).toEqual(["r/2"]);
  });

  it("names the folders directly below a prefix, and deletes one with all that is in it", async () => {
    const archive = open();
    const days = ["2026-01-02", "2026-01-01"];
    for (const day of days)
      for (let n = 0; n < 20; n += 1) await archive.put(`events/cms/${day}/${n}.json`, "x");
    await archive.put("events/note.json", "x");
    await archive.put("events-too/other/1.json", "x");
    expect(await archive.folders("events/")).toEqual(["cms"]);
    expect(await archive.folders("events/cms/")).toEqual(days.toSorted());
    expect(await archive.folders("nothing/")).toEqual([]);
    const { signal } = new AbortController();
    expect(await archive.removeFolder("events/cms/2026-01-01/", signal)).toBe(20);
    expect(await archive.folders("events/cms/")).toEqual(["2026-01-02"]);
    expect(await archive.list("")).toHaveLength(22);
    expect(await archive.removeFolder("events/cms/2026-01-01/", signal)).toBe(0);
  });

  it("lists the objects of other folders while one is deleted", async () => {
    const archive = open();
    const { signal } = new AbortController();
    await archive.put("kept/1.json", "x");
    for (let n = 0; n < 30; n += 1) await archive.put(`gone/${n}/1.json`, "x");
    const deleting = archive.removeFolder("gone/", signal);
    const listed = await Promise.all(Array.from({ length: 30 }, () => archive.list("")));
    await deleting;
    expect(listed.every((paths) => paths.includes("kept/1.json"))).toBe(true);
  });

  it("deletes nothing after its signal was aborted", async () => {
    const archive = open();
    await archive.put("events/cms/2026-01-01/1.json", "x");
    expect(await archive.removeFolder("events/cms/2026-01-01/", AbortSignal.abort())).toBe(0);
    expect(await archive.list("")).toHaveLength(1);
  });

  it("writes twenty objects concurrently, and keeps one whole object of twenty writes to one path", async () => {
    const archive = open();
    await Promise.all(
      Array.from({ length: 20 }, (_unused, n) =>
        Promise.all([archive.put(`m/${n}`, "x"), archive.put("m/same", String(n).repeat(10_000))]),
      ),
    );
    expect(await archive.list("m/")).toHaveLength(21);
    expect((await archive.get("m/same"))?.toString()).toMatch(/^(1\d|\d)\1+$/);
  });
});

describe.each(kinds.slice(1))("%s", (_, open) => {
  it("deletes a folder page by page, so that memory does not grow with the folder", async () => {
    const archive = open();
    for (let n = 0; n < 3 * PAGE; n += 1) await archive.put(`events/cms/2026-01-01/${n}.json`, "x");
    bucket.requests.length = 0;
    const { signal } = new AbortController();
    expect(await archive.removeFolder("events/cms/2026-01-01/", signal)).toBe(3 * PAGE);
    const methods = bucket.requests.map((request) => request.split(" ")[0]);
    expect(methods.slice(0, PAGE + 2)).toEqual(["GET", ...Array(PAGE).fill("DELETE"), "GET"]);
    expect(bucket.objects.size).toBe(0);
  });
});

describe("a bucket that takes a connection and does not answer", () => {
  const open = (operationMs = 150) =>
    openObjectStore(bucket.url, root, { silenceMs: 10_000, operationMs, bytesPerMs: 1_000 });
  const { signal } = new AbortController();
  const operations: [string, (archive: ObjectStore) => Promise<unknown>][] = [
    ["put", (archive) => archive.put("x/1", "x")],
    ["get", (archive) => archive.get("x/1")],
    ["list", (archive) => archive.list("x/")],
    ["folders", (archive) => archive.folders("x/")],
    ["remove", (archive) => archive.remove("x/1")],
    ["removeFolder", (archive) => archive.removeFolder("x/", signal)],
  ];

  it.each(operations)("%s ends as a timeout of the archive", async (_, work) => {
    bucket.feel("silent");
    const error = await work(open()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutboundError);
    expect(error).toMatchObject({ system: "archive", kind: "timeout" });
  });

  it.each(operations.slice(1, 4))(
    "%s ends as a timeout also when the response stops in its middle",
    async (_, work) => {
      bucket.feel("stuck");
      await expect(work(open())).rejects.toMatchObject({ system: "archive", kind: "timeout" });
    },
  );

  it("works again as soon as the bucket answers, although its old connections stay silent", async () => {
    // Long enough for the bucket that answers again, on a busy machine.
    const archive = open(3_000);
    bucket.feel("silent");
    const lost = Array.from({ length: 60 }, (_unused, n) => archive.put(`x/${n}`, "x"));
    expect((await Promise.allSettled(lost)).every(({ status }) => status === "rejected")).toBe(
      true,
    );
    bucket.feel("well");
    // Of the others the bucket may have read some only now.
    await archive.put("later/1", "x");
    expect(await archive.list("later/")).toEqual(["later/1"]);
  });

  it("is asked again within the operation when it was silent for a while", async () => {
    const archive = openObjectStore(bucket.url, root, {
      silenceMs: 100,
      operationMs: 20_000,
      bytesPerMs: 1_000,
    });
    bucket.feel("silent");
    const writing = archive.put("x/1", "x");
    await vi.waitFor(() => expect(bucket.requests.length).toBeGreaterThan(0), 30_000);
    bucket.feel("well");
    await writing;
    expect(bucket.objects.has("x/1")).toBe(true);
  });

  it("has more time for a large object", async () => {
    const archive = openObjectStore(bucket.url, root, {
      silenceMs: 10_000,
      operationMs: 1,
      bytesPerMs: 0.001,
    });
    bucket.feel("slow");
    await archive.put("x/1", "a hundred bytes have a hundred seconds more".padEnd(100));
    expect(bucket.objects.size).toBe(1);
    await expect(archive.remove("x/1")).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe.each(["unrouted", "lost"] as const)("a 404 of a gateway on the way (%s)", (mood) => {
  it("is no proof that an object is missing or deleted", async () => {
    const archive = openObjectStore(bucket.url, root);
    // A deletion of another test that the bucket reads late must not hit this object.
    await archive.put("gateway/1", "x");
    bucket.feel(mood);
    await expect(archive.get("gateway/1")).rejects.toMatchObject({ system: "archive" });
    await expect(archive.remove("gateway/1")).rejects.toMatchObject({ system: "archive" });
    bucket.feel("well");
    expect(await archive.list("gateway/")).toEqual(["gateway/1"]);
  });
});

describe.each(["exact", "curt"] as const)("a bucket that answers 404 (%s)", (mood) => {
  it("has no such object, and one that is missing counts as deleted", async () => {
    const archive = openObjectStore(bucket.url, root);
    bucket.feel(mood);
    await archive.put("x/1", "x");
    for (const _ of [1, 2]) await archive.remove("x/1");
    expect(await archive.get("x/1")).toBeNull();
  });

  it("is not taken for one without the object where the whole bucket is missing", async () => {
    const archive = openObjectStore(`s3://other?endpoint=${endpoint}`, root);
    bucket.feel(mood);
    const message = "the archive failed: NoSuchBucket (HTTP 404)";
    await expect(archive.get("x/1")).rejects.toMatchObject({ message });
    await expect(archive.remove("x/1")).rejects.toMatchObject({ message });
  });
});

describe("a bucket that lists more than it was asked for", () => {
  it("loses nothing beyond the prefix", async () => {
    const archive = openObjectStore(`s3://crm/base?endpoint=${endpoint}`, root);
    for (const path of ["one/a/1", "two/a/1", "two/b/1", "two/b/2"]) await archive.put(path, path);
    bucket.feel("deaf");
    expect(await archive.list("one/")).toEqual(["one/a/1"]);
    expect(await archive.removeFolder("one/", new AbortController().signal)).toBe(1);
    bucket.feel("well");
    expect(await archive.list("")).toEqual(["two/a/1", "two/b/1", "two/b/2"]);
  });
});

describe("a bucket that answers what is no list", () => {
  const operations: ((archive: ObjectStore) => Promise<unknown>)[] = [
    (archive) => archive.put("x/1", "x"),
    (archive) => archive.get("x/1"),
    (archive) => archive.remove("x/1"),
  ];
  it.each(operations)("has taken, holds and has deleted nothing: %s fails", async (work) => {
    bucket.feel("page");
    await expect(work(openObjectStore(bucket.url, root))).rejects.toMatchObject({
      system: "archive",
      message: "the archive failed: the response is a page for people, not a bucket's (HTTP 200)",
    });
  });

  it("is not taken for an empty one", async () => {
    const archive = openObjectStore(bucket.url, root);
    bucket.feel("page");
    await expect(archive.list("x/")).rejects.toMatchObject({ system: "archive" });
    await expect(archive.folders("x/")).rejects.toMatchObject({ system: "archive" });
  });

  it("is not read for ever where a page leads to itself", async () => {
    const archive = openObjectStore(bucket.url, root);
    bucket.feel("circling");
    await expect(archive.list("x/")).rejects.toMatchObject({ system: "archive" });
    expect(bucket.requests).toHaveLength(2);
  });
});

describe("a folder", () => {
  it("takes every object while what is not finished is deleted again and again", async () => {
    const archive = openObjectStore("file:objects", root);
    const paths = Array.from({ length: 200 }, (_, at) => `a/${String(at).padStart(3, "0")}`);
    for (const path of paths)
      await Promise.all([
        archive.put(path, path),
        archive.removeUnfinished("a/"),
        archive.removeUnfinished("a/"),
      ]);
    expect(await archive.list("a/")).toEqual(paths);
  });

  it.each(["../out.txt", "x/../../out.txt", "/etc/out.txt", "..", "", "."])(
    "cannot be left: %j is rejected by every method",
    async (path) => {
      const archive = openObjectStore("file:objects", root);
      await expect(archive.put(path, "x")).rejects.toThrow("leaves the archive");
      // No failure of the archive, which would be tried again.
      await expect(archive.put(path, "x")).rejects.not.toBeInstanceOf(OutboundError);
      await expect(archive.get(path)).rejects.toThrow("leaves the archive");
      await expect(archive.remove(path)).rejects.toThrow("leaves the archive");
      expect(() => archive.urlOf(path)).toThrow("leaves the archive");
      expect(readdirSync(root).filter((name) => name !== "objects")).toEqual([]);
    },
  );

  it("contains the old object or the new one, never a partial one: it is written to a temp file and renamed, readable by its owner only", async () => {
    const archive = openObjectStore("file:objects", root);
    await archive.put("a/one", "old");
    const file = join(root, "objects/a/one");
    const before = statSync(file);
    await archive.put("a/one", "new");
    const after = statSync(file);
    expect(after.ino).not.toBe(before.ino);
    expect(after.mode & 0o777).toBe(0o600);
    for (const folder of ["objects/a", "objects/a/.unfinished"])
      expect(statSync(join(root, folder)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, "objects/a"))).toEqual([".unfinished", "one"]);
    expect(readdirSync(join(root, "objects/a/.unfinished"))).toEqual([]);
  });

  it("is not taken for empty where it cannot be read", async () => {
    const archive = openObjectStore("file:objects", root);
    await archive.put("events", "a file in the place of a folder");
    await expect(archive.list("events/cms/")).rejects.toThrow("ENOTDIR");
    await expect(archive.folders("events/cms/")).rejects.toThrow("ENOTDIR");
  });

  it("does not list the partial files of a crash", async () => {
    const archive = openObjectStore("file:objects", root);
    await archive.put("a/one", "whole");
    writeFileSync(join(root, "objects/a/.unfinished/1.x.part"), "ha");
    expect(await archive.list("a/")).toEqual(["a/one"]);
  });

  it("returns an object's address, also for an absolute folder", async () => {
    const archive = openObjectStore(`file://${root}/objects`, "/nowhere");
    await archive.put("a/one", "x");
    expect(readFileSync(new URL(archive.urlOf("a/one")), "utf8")).toBe("x");
  });
});

describe("a bucket", () => {
  it("is called in path style, under its prefix, with the content type", async () => {
    const archive = openObjectStore(`s3://crm/a/b/?endpoint=${endpoint}`, root);
    await archive.put("x/1.json", "{}", "application/json");
    expect(bucket.requests).toEqual(["PUT /crm/a/b/x/1.json"]);
    expect(bucket.objects.get("a/b/x/1.json")).toEqual({
      body: Buffer.from("{}"),
      type: "application/json",
    });
    expect(archive.urlOf("x/1.json")).toBe("s3://crm/a/b/x/1.json");
  });

  it("that rejects or is missing throws an error, never returns an empty result", async () => {
    const archive = openObjectStore(`s3://nobody?endpoint=${endpoint}`, root);
    await expect(archive.get("x")).rejects.toThrow("NoSuchBucket");
    await expect(archive.list("x")).rejects.toThrow("NoSuchBucket");
    await expect(archive.put("x", "y")).rejects.toThrow("NoSuchBucket");
  });
});
