// Objects in an S3-compatible bucket, through the AWS SDK.
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { orFailAfter } from "../../runtime/deadlines/or-fail-after.ts";
import { withoutOuterSlashes } from "../../runtime/slashes.ts";
import { removeEach, type ObjectStore } from "./object-store.ts";

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
export const BUCKET_LIMITS: BucketLimits = {
  silenceMs: 5_000,
  operationMs: 12_000,
  bytesPerMs: 100,
};

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
      ...(identity !== "service" && {
        credentials: identity,
        useDualstackEndpoint: false,
        useFipsEndpoint: false,
      }),
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
