// Object storage by path: a folder, or an S3-compatible bucket
// (`s3://bucket/prefix?endpoint=...&region=...`) through the AWS SDK.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { orFailAfter } from "../runtime/deadlines/or-fail-after.ts";
import { OutboundError } from "../runtime/errors.ts";
import { withoutOuterSlashes } from "../runtime/slashes.ts";
import { folderOf } from "../runtime/tenant-address.ts";

/**
 * The service's own store throws an OutboundError of system `archive`: `timeout`, or `network` for
 * every other failure, which are all temporary. What `openBucket` and `openFolder` return throws the
 * errors of the AWS SDK and of the file system.
 */
export type ObjectStore = {
  /** Writes the whole object, replacing one of the same path. */
  put(path: string, body: string | Buffer, contentType?: string): Promise<void>;
  /** The object's bytes, or null when there is none. */
  get(path: string): Promise<Buffer | null>;
  /** Paths that begin with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Names of the folders directly below `prefix`, which ends with a slash, sorted. */
  folders(prefix: string): Promise<string[]>;
  /** Deletes the object; a missing one is no error. */
  remove(path: string): Promise<void>;
  /**
   * Deletes what is below `prefix`, which ends with a slash, until the signal is aborted. Returns
   * the number of deleted objects.
   */
  removeFolder(prefix: string, signal: AbortSignal): Promise<number>;
  /**
   * Deletes what writers that died have left of objects below `prefix`, the first folder of their paths with a slash. A
   * writer that is at work begins again. A bucket has nothing of the kind.
   */
  removeUnfinished(prefix: string): Promise<void>;
  /** The object's address for an operator: `file:` or `s3:`. */
  urlOf(path: string): string;
};

/**
 * The bucket's credentials: the service's own (the SDK's default chain, such as environment
 * variables), or these keys.
 */
export type BucketIdentity = "service" | { accessKeyId: string; secretAccessKey: string };

/** How long a bucket may take. */
export type BucketLimits = {
  /** To connect, and between two pieces of a request or a response: then the SDK asks again. */
  silenceMs: number;
  /** For a whole operation with its repetitions; for a list, each page of it. */
  operationMs: number;
  /** The slowest line: an object has that much more time for its bytes. */
  bytesPerMs: number;
};

/** A delivery waits for its copy: the operation ends long before the delivery has to. */
const BUCKET_LIMITS: BucketLimits = { silenceMs: 5_000, operationMs: 12_000, bytesPerMs: 100 };

/**
 * Opens the service's own bucket (`s3:`) or folder below `root`, with the service's own
 * credentials.
 */
export function openObjectStore(
  url: string,
  root: string,
  limits: BucketLimits = BUCKET_LIMITS,
): ObjectStore {
  return asArchive(
    url.startsWith("s3://")
      ? openBucket(new URL(url), "service", { limits })
      : openFolder(folderOf(url, root)),
  );
}

/** Its failures name the archive: an `ECONNREFUSED` of its own would be taken for the database's. */
function asArchive(store: ObjectStore): ObjectStore {
  return {
    put: (path, body, contentType) => named(() => store.put(path, body, contentType)),
    get: (path) => named(() => store.get(path)),
    list: (prefix) => named(() => store.list(prefix)),
    folders: (prefix) => named(() => store.folders(prefix)),
    remove: (path) => named(() => store.remove(path)),
    removeFolder: (prefix, signal) => named(() => store.removeFolder(prefix, signal)),
    removeUnfinished: (prefix) => named(() => store.removeUnfinished(prefix)),
    urlOf: (path) => store.urlOf(path),
  };
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PathOutside) throw error;
    const { name, message } = error as Error;
    throw new OutboundError("archive", name === "TimeoutError" ? "timeout" : "network", {
      message: `the archive failed: ${message.slice(0, 200)}`,
    });
  }
}

/** A path that leaves the archive is a bug of ours, and no failure of the archive. */
class PathOutside extends Error {}

/** In the first folder of a path, so that what is not finished is found without reading all folders. */
const UNFINISHED = ".unfinished";

/**
 * Files below `folder`, readable by the service's user only. Throws an Error for a path that leaves
 * the folder.
 */
export function openFolder(folder: string): ObjectStore {
  const fileOf = (path: string): string => {
    const file = resolve(folder, path);
    if (!file.startsWith(folder + sep))
      throw new PathOutside(`the archive path ${path} leaves the archive`);
    return file;
  };
  /** A path without a folder has none for what is not finished either. */
  const partOf = (path: string) => {
    const end = path.indexOf("/");
    const name = `${process.pid}.${randomUUID()}.part`;
    return end === -1
      ? `${fileOf(path)}.${name}`
      : fileOf(join(path.slice(0, end), UNFINISHED, name));
  };
  return {
    async put(path, body) {
      const file = fileOf(path);
      // Temp file + rename: a crash leaves the old object or the new one, never half of one.
      const part = partOf(path);
      const write = async () => {
        await writeFile(part, body, { mode: 0o600 });
        await rename(part, file);
      };
      try {
        // A folder is missing for the first object of a day, and after what is not finished was deleted.
        await write().catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
          for (const needed of [part, file])
            await mkdir(dirname(needed), { recursive: true, mode: 0o700 });
          await write();
        });
      } catch (error) {
        await rm(part, { force: true }).catch(() => {});
        throw error;
      }
    },
    get: async (path) => readFile(fileOf(path)).catch(orNull),
    async list(prefix) {
      // Reads only the folder that the prefix names, not the objects of all stores.
      const top = fileOf(join(prefix.slice(0, prefix.lastIndexOf("/") + 1), "x"));
      const files = await filesBelow(dirname(top));
      const paths = files.map((file) => relative(folder, file).split(sep).join("/"));
      return paths.filter((path) => path.startsWith(prefix)).sort();
    },
    async folders(prefix) {
      const entries = await readdir(fileOf(prefix), { withFileTypes: true }).catch(orNone);
      return entries
        .filter((entry) => entry.isDirectory() && entry.name !== UNFINISHED)
        .map(({ name }) => name)
        .sort();
    },
    remove: async (path) => rm(fileOf(path), { force: true }),
    async removeFolder(prefix, signal) {
      const removed = await removeEach(this, await this.list(prefix), signal);
      // Also what is not finished.
      if (!signal.aborted) await rm(fileOf(prefix), { recursive: true, force: true });
      return removed;
    },
    removeUnfinished: (prefix) =>
      rm(fileOf(join(prefix, UNFINISHED)), { recursive: true, force: true }),
    urlOf: (path) => pathToFileURL(fileOf(path)).href,
  };
}

/** A folder that is deleted meanwhile holds up none of the others. What is not finished is left out. */
async function filesBelow(top: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(top, { withFileTypes: true }).catch(orNone)) {
    const path = join(top, entry.name);
    if (entry.isDirectory() && entry.name !== UNFINISHED) files.push(...(await filesBelow(path)));
    else if (entry.isFile() && !entry.name.endsWith(".part")) files.push(path);
  }
  return files;
}

const REMOVALS_AT_ONCE = 16;

async function removeEach(
  store: Pick<ObjectStore, "remove">,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (removed < paths.length && !signal.aborted) {
    const some = paths.slice(removed, removed + REMOVALS_AT_ONCE);
    await Promise.all(some.map((path) => store.remove(path)));
    removed += some.length;
  }
  return removed;
}

function orNone(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT") return [];
  throw error;
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

type BucketOptions = {
  limits?: BucketLimits;
  /** Overrides the client's settings. */
  config?: S3ClientConfig;
};

/** The bucket of an `s3:` address; without `endpoint` it is Amazon's. */
export function openBucket(
  url: URL,
  identity: BucketIdentity,
  { limits = BUCKET_LIMITS, config = {} }: BucketOptions = {},
): ObjectStore {
  const bucket = url.hostname;
  const base = withoutOuterSlashes(url.pathname);
  const region = url.searchParams.get("region") ?? "us-east-1";
  // With other keys than ours nothing of our environment counts, an endpoint that is set there included.
  const endpoint =
    url.searchParams.get("endpoint") ??
    (identity === "service" ? null : `https://s3.${region}.amazonaws.com`);
  const keyOf = (path: string) => (base ? `${base}/${path}` : path);
  const { silenceMs, operationMs, bytesPerMs } = limits;
  // A dynamic import: the SDK takes longer to load than the rest of the service.
  const client = import("@aws-sdk/client-s3").then((sdk) => ({
    sdk,
    s3: new sdk.S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      ...(identity !== "service" && { credentials: identity }),
      maxAttempts: 3,
      requestHandler: { connectionTimeout: silenceMs, socketTimeout: silenceMs },
      ...config,
    }),
  }));

  type Sdk = Awaited<typeof client>;
  type Sending = Sdk & { options: { abortSignal: AbortSignal } };
  /** One operation with its deadline: the SDK has none of its own, and waits for a silent bucket for ever. */
  async function within<T>(ms: number, work: (sending: Sending) => Promise<T>): Promise<T> {
    const loaded = await client;
    const giveUp = new AbortController();
    return orFailAfter(ms, work({ ...loaded, options: { abortSignal: giveUp.signal } }), () => {
      giveUp.abort();
      return Object.assign(new Error(`no answer within ${ms} ms`), { name: "TimeoutError" });
    });
  }

  const readPage = async (prefix: string, token: string | undefined, delimiter?: string) => {
    const page = await within(operationMs, ({ sdk, s3, options }) =>
      s3.send(
        new sdk.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: keyOf(prefix),
          ...(delimiter && { Delimiter: delimiter }),
          ...(token && { ContinuationToken: token }),
        }),
        options,
      ),
    );
    const { IsTruncated: isCut, NextContinuationToken: next } = page;
    // A page of a proxy has neither; taken for an empty list it would look as if the objects had been deleted.
    if (isCut === undefined || (isCut && (next === undefined || next === token)))
      throw new Error("the response is no list of a bucket");
    return { page, next };
  };
  async function* pagesOf(prefix: string, delimiter?: string) {
    for (let token: string | undefined; ;) {
      const { page, next } = await readPage(prefix, token, delimiter);
      yield page;
      token = next;
      if (!token) return;
    }
  }
  async function* pathsOf(prefix: string): AsyncGenerator<string[]> {
    for await (const { Contents } of pagesOf(prefix)) {
      const keys = (Contents ?? []).flatMap(({ Key }) => Key ?? []);
      yield keys.map((key) => (base ? key.slice(base.length + 1) : key));
    }
  }
  const remove = (path: string) =>
    within(operationMs, async ({ sdk, s3, options }) => {
      await s3.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: keyOf(path) }), options);
    });

  return {
    put: (path, body, contentType) =>
      within(operationMs + Buffer.byteLength(body) / bytesPerMs, async ({ sdk, s3, options }) => {
        await s3.send(
          new sdk.PutObjectCommand({
            Bucket: bucket,
            Key: keyOf(path),
            Body: body,
            ...(contentType && { ContentType: contentType }),
          }),
          options,
        );
      }),
    async get(path) {
      try {
        const answer = await within(operationMs, ({ sdk, s3, options }) =>
          s3.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }), options),
        );
        const { Body: body, ContentLength: length = 0 } = answer;
        return await within(operationMs + length / bytesPerMs, ({ options }) =>
          buffer(addAbortSignal(options.abortSignal, body as Readable)),
        );
      } catch (error) {
        if ((error as Error).name === "NoSuchKey") return null;
        throw error;
      }
    },
    async list(prefix) {
      const paths: string[] = [];
      for await (const page of pathsOf(prefix)) paths.push(...page);
      return paths.sort();
    },
    async folders(prefix) {
      const names: string[] = [];
      for await (const { CommonPrefixes } of pagesOf(prefix, "/"))
        for (const { Prefix } of CommonPrefixes ?? [])
          if (Prefix) names.push(Prefix.slice(keyOf(prefix).length, -1));
      return names.sort();
    },
    remove,
    async removeFolder(prefix, signal) {
      let removed = 0;
      for await (const page of pathsOf(prefix)) {
        removed += await removeEach({ remove }, page, signal);
        if (signal.aborted) break;
      }
      return removed;
    },
    removeUnfinished: async () => {},
    urlOf: (path) => `s3://${bucket}/${keyOf(path)}`,
  };
}
