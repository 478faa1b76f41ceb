// The service's own archive: a folder, or an S3-compatible bucket
// (`s3://bucket/prefix?endpoint=...&region=...`).
import { OutboundError } from "../../runtime/errors.ts";
import { folderOf } from "../../runtime/tenant-address.ts";
import { openBucket } from "./bucket.ts";
import { BUCKET_LIMITS, type BucketLimits } from "./bucket-client.ts";
import { openFolder, PathOutside } from "./folder.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Opens the bucket (`s3:`) or the folder below `root`, with the service's own credentials. Throws an
 * OutboundError of system `archive`: `timeout`, or `network` for every other failure, which are all
 * temporary.
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
    throw new OutboundError(
      "archive",
      (error as Error).name === "TimeoutError" ? "timeout" : "network",
      {
        message: `the archive failed: ${reasonOf(error)}`,
      },
    );
  }
}

const MAX_REASON_CHARACTERS = 200;

/** The SDK's texts about a response without a code name nothing that an operator can look for. */
function reasonOf(error: unknown): string {
  const { message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const isBucket = message !== "UnknownError" && !message.startsWith("@aws-sdk");
  const reason = isBucket ? message.slice(0, MAX_REASON_CHARACTERS) : "the response is no bucket's";
  const status = $metadata?.httpStatusCode;
  return status === undefined ? reason : `${reason} (HTTP ${status})`;
}
