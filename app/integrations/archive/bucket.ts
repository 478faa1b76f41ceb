// Objects in an S3-compatible bucket, through the AWS SDK.
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { openBucketClient, type BucketIdentity, type BucketOptions } from "./bucket-client.ts";
import { listFolders, listPaths } from "./bucket-list.ts";
import { removeEach, type ObjectStore } from "./object-store.ts";

/** The bucket of an `s3:` address; without `endpoint` it is Amazon's. */
export function openBucket(
  url: URL,
  identity: BucketIdentity,
  options: BucketOptions = {},
): ObjectStore {
  const client = openBucketClient(url, identity, options);
  const { bucket, keyOf, within } = client;
  const { operationMs, bytesPerMs } = client.limits;

  /**
   * Whether the failed call says that the object does not exist. Some buckets say so to a deletion too, and some by a
   * 404 without a code. That may be anybody's on the way: the bucket's list decides. Throws when it cannot be read.
   */
  const isMissing = async (path: string, error: unknown): Promise<boolean> => {
    const { name } = error as Error;
    if (name !== "NotFound") return name === "NoSuchKey";
    for await (const page of listPaths(client, path)) if (page.includes(path)) return false;
    return true;
  };

  const remove = async (path: string): Promise<void> => {
    try {
      await within(operationMs, ({ sdk, s3, options }) =>
        s3.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: keyOf(path) }), options),
      );
    } catch (error) {
      if (!(await isMissing(path, error))) throw error;
    }
  };

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
        if (await isMissing(path, error)) return null;
        throw error;
      }
    },
    async list(prefix) {
      const paths: string[] = [];
      for await (const page of listPaths(client, prefix)) paths.push(...page);
      return paths.sort();
    },
    folders: async (prefix) => (await listFolders(client, prefix)).sort(),
    remove,
    async removeFolder(prefix, signal) {
      let removed = 0;
      for await (const page of listPaths(client, prefix)) {
        removed += await removeEach({ remove }, page, signal);
        if (signal.aborted) break;
      }
      return removed;
    },
    removeUnfinished: async () => {},
    urlOf: (path) => `s3://${bucket}/${keyOf(path)}`,
  };
}
