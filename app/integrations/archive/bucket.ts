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

  const remove = (path: string) =>
    within(operationMs, async ({ sdk, s3, options }) => {
      try {
        await s3.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: keyOf(path) }), options);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
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
        if (isMissing(error)) return null;
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

/**
 * Whether the bucket says that the object does not exist. Some say so to a deletion too, and some with an empty
 * response. A page may be a proxy's.
 */
function isMissing(error: unknown): boolean {
  const { name, $response: answer } = error as {
    name?: string;
    $response?: { headers?: Record<string, string> };
  };
  if (name === "NoSuchKey") return true;
  return name === "NotFound" && !/html/i.test(answer?.headers?.["content-type"] ?? "");
}
