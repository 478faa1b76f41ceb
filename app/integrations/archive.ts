// Object storage by path: a folder, or an S3-compatible bucket
// (`s3://bucket/prefix?endpoint=...&region=...`) through the AWS SDK.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { withoutOuterSlashes } from "../runtime/slashes.ts";
import { folderOf } from "../runtime/tenant-address.ts";

/** A bucket's methods throw the AWS SDK's errors; a folder's throw file system errors. */
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

/**
 * Opens the service's own bucket (`s3:`) or folder below `root`, with the service's own
 * credentials.
 */
export function openObjectStore(url: string, root: string): ObjectStore {
  return url.startsWith("s3://")
    ? openBucket(new URL(url), "service")
    : openFolder(folderOf(url, root));
}

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
      throw new Error(`the archive path ${path} leaves the archive`);
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

/**
 * The bucket of an `s3:` address; without `endpoint` it is Amazon's. `config` overrides the
 * client's settings.
 */
export function openBucket(
  url: URL,
  identity: BucketIdentity,
  config: S3ClientConfig = {},
): ObjectStore {
  const bucket = url.hostname;
  const base = withoutOuterSlashes(url.pathname);
  const region = url.searchParams.get("region") ?? "us-east-1";
  // With other keys than ours nothing of our environment counts, an endpoint that is set there included.
  const endpoint =
    url.searchParams.get("endpoint") ??
    (identity === "service" ? null : `https://s3.${region}.amazonaws.com`);
  const keyOf = (path: string) => (base ? `${base}/${path}` : path);
  // A dynamic import: the SDK takes longer to load than the rest of the service.
  const client = import("@aws-sdk/client-s3").then((sdk) => ({
    sdk,
    s3: new sdk.S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      ...(identity !== "service" && { credentials: identity }),
      maxAttempts: 3,
      ...config,
    }),
  }));
  async function* pagesOf(prefix: string): AsyncGenerator<string[]> {
    const { sdk, s3 } = await client;
    for (let token: string | undefined; ;) {
      const answer = await s3.send(
        new sdk.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: keyOf(prefix),
          ...(token && { ContinuationToken: token }),
        }),
      );
      const keys = (answer.Contents ?? []).flatMap(({ Key }) => Key ?? []);
      yield keys.map((key) => (base ? key.slice(base.length + 1) : key));
      token = answer.NextContinuationToken;
      if (!token) return;
    }
  }

  return {
    async put(path, body, contentType) {
      const { sdk, s3 } = await client;
      await s3.send(
        new sdk.PutObjectCommand({
          Bucket: bucket,
          Key: keyOf(path),
          Body: body,
          ...(contentType && { ContentType: contentType }),
        }),
      );
    },
    async get(path) {
      const { sdk, s3 } = await client;
      try {
        const answer = await s3.send(
          new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }),
        );
        return Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if ((error as Error).name === "NoSuchKey") return null;
        throw error;
      }
    },
    async list(prefix) {
      const paths: string[] = [];
      for await (const page of pagesOf(prefix)) paths.push(...page);
      return paths.sort();
    },
    async folders(prefix) {
      const { sdk, s3 } = await client;
      const names: string[] = [];
      for (let token: string | undefined; ;) {
        const answer = await s3.send(
          new sdk.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: keyOf(prefix),
            Delimiter: "/",
            ...(token && { ContinuationToken: token }),
          }),
        );
        for (const { Prefix } of answer.CommonPrefixes ?? [])
          if (Prefix) names.push(Prefix.slice(keyOf(prefix).length, -1));
        token = answer.NextContinuationToken;
        if (!token) return names.sort();
      }
    },
    async remove(path) {
      const { sdk, s3 } = await client;
      await s3.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: keyOf(path) }));
    },
    async removeFolder(prefix, signal) {
      let removed = 0;
      for await (const page of pagesOf(prefix)) {
        removed += await removeEach(this, page, signal);
        if (signal.aborted) break;
      }
      return removed;
    },
    removeUnfinished: async () => {},
    urlOf: (path) => `s3://${bucket}/${keyOf(path)}`,
  };
}
