// The AWS SDK's client of one bucket, with a deadline for each operation.
import type * as AwsSdk from "@aws-sdk/client-s3";
import { orFailAfter } from "../../runtime/deadlines/or-fail-after.ts";
import { withoutOuterSlashes } from "../../runtime/slashes.ts";

/**
 * The bucket's credentials: the service's own (the SDK's default chain, such as environment
 * variables), or these keys.
 */
export type BucketIdentity = "service" | { accessKeyId: string; secretAccessKey: string };

/** How long a bucket may take. */
export type BucketLimits = {
  /** To connect, and between two pieces of a request or a response: then the SDK asks again. */
  silenceMs: number;
  /** The time for one operation with its repetitions; a list has it for each page. */
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

export type BucketOptions = {
  limits?: BucketLimits;
  /** Overrides the client's settings. */
  config?: AwsSdk.S3ClientConfig;
};

type Sending = {
  sdk: typeof AwsSdk;
  s3: AwsSdk.S3Client;
  options: { abortSignal: AbortSignal };
};

export type BucketClient = {
  bucket: string;
  /** The object's key in the bucket: objects may lie below a path of the address. */
  keyOf(path: string): string;
  pathOf(key: string): string;
  limits: BucketLimits;
  /** One operation with its deadline: the SDK has none of its own, and waits for a silent bucket forever. */
  within<T>(ms: number, work: (sending: Sending) => Promise<T>): Promise<T>;
};

export function openBucketClient(
  url: URL,
  identity: BucketIdentity,
  { limits = BUCKET_LIMITS, config = {} }: BucketOptions = {},
): BucketClient {
  const base = withoutOuterSlashes(decode(url.pathname));
  // A dynamic import: the SDK takes longer to load than the rest of the service.
  const client = import("@aws-sdk/client-s3").then((sdk) => {
    const s3 = new sdk.S3Client({
      ...placeOf(url, identity),
      maxAttempts: 3,
      requestHandler: { connectionTimeout: limits.silenceMs, socketTimeout: limits.silenceMs },
      ...config,
    });
    // The drop of a store looks at the answers of its bucket itself.
    if (identity === "service") refusePages(s3);
    return { sdk, s3 };
  });
  return {
    bucket: url.hostname,
    keyOf: (path) => (base ? `${base}/${path}` : path),
    pathOf: (key) => (base ? key.slice(base.length + 1) : key),
    limits,
    async within(ms, work) {
      const loaded = await client;
      const giveUp = new AbortController();
      return orFailAfter(ms, work({ ...loaded, options: { abortSignal: giveUp.signal } }), () => {
        giveUp.abort();
        return Object.assign(new Error(`no answer within ${ms} ms`), { name: "TimeoutError" });
      });
    },
  };
}

/**
 * The SDK takes any 2xx for the bucket's, and the sign-in page of a proxy for an object that was written, read
 * or deleted. Every object that a bucket has or takes has an ETag.
 */
function refusePages(s3: AwsSdk.S3Client): void {
  s3.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { statusCode, headers, body } = result.response as {
        statusCode: number;
        headers: Record<string, string>;
        body?: { destroy?(): void };
      };
      const isEmpty = statusCode === 204 || headers["content-length"] === "0";
      const isPage = !isEmpty && /\bhtml\b/i.test(headers["content-type"] ?? "");
      if (statusCode < 300 && isPage && !headers["etag"]) {
        body?.destroy?.();
        throw Object.assign(new Error("the response is a page for people, not a bucket's"), {
          $metadata: { httpStatusCode: statusCode },
        });
      }
      return result;
    },
    { step: "deserialize", name: "refusePages" },
  );
}

/** An address encodes a space and an umlaut; the SDK encodes keys itself. */
function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return pathname;
  }
}

/** Without an `endpoint` in its address the bucket is Amazon's. */
function placeOf(url: URL, identity: BucketIdentity): AwsSdk.S3ClientConfig {
  const region = url.searchParams.get("region") ?? "us-east-1";
  // With other keys than ours nothing of our environment counts, an endpoint that is set there included.
  const endpoint =
    url.searchParams.get("endpoint") ??
    (identity === "service" ? null : `https://s3.${region}.amazonaws.com`);
  return {
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(identity !== "service" && {
      credentials: identity,
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
    }),
  };
}
