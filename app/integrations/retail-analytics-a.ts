// The client of the first retail measurement partner: files written below the store's drop address,
// which is a bucket (s3:), a folder (file:) or an https address (PUT of a name below it: what its
// query proves must open the whole folder). Addresses and keys are the tenant's: docs/decisions/015.
import { join } from "node:path";
import { OutboundError } from "../runtime/errors.ts";
import { toStatusError } from "../runtime/outbound/answers.ts";
import type { Outbound, OutboundAnswer } from "../runtime/outbound/outbound.ts";
import { withoutTrailingSlashes } from "../runtime/slashes.ts";
import { findAddressProblem, folderOf, type AddressRules } from "../runtime/tenant-address.ts";
import { openBucket } from "./archive/bucket.ts";
import type { BucketLimits } from "./archive/bucket-client.ts";
import { openFolder } from "./archive/folder.ts";

const SYSTEM = "retail_analytics_a";
const CONTENT_TYPE = "text/csv; charset=utf-8";
const MAX_REASON_CHARACTERS = 200;
/** Longer than the limits of `outbound`, so that its error comes first, which says what happened. */
const DROP_LIMITS: BucketLimits = { silenceMs: 20_000, operationMs: 20_000, bytesPerMs: 100 };

export type DropAccess = {
  url: string;
  shop: string;
  /** The store's keys for its bucket. The service's own credentials are never used for a drop. */
  keys: { accessKeyId: string; secretAccessKey: string } | null;
  about?: Record<string, unknown>;
};

export type RetailAnalyticsAClient = {
  /**
   * Writes one CSV object, replacing one of the same name. Returns the HTTP status, null for a
   * folder. Throws an OutboundError: `refused_address` when the address or its keys are not
   * allowed, `status`, `malformed` for a page instead of a bucket's response, `timeout` after 15 s,
   * or `network`.
   */
  drop(access: DropAccess, name: string, csv: string): Promise<{ status: number | null }>;
};

/** `addressRules` are read for each drop: which schemes and folders a tenant may name. */
export function createRetailAnalyticsAClient({
  outbound,
  addressRules,
}: {
  outbound: Outbound;
  addressRules: () => Promise<AddressRules>;
}): RetailAnalyticsAClient {
  return {
    async drop({ url, shop, keys, about }, name, csv) {
      const rules = await addressRules();
      const problem = findAddressProblem(url, rules);
      if (problem) throw refusedAddress(problem.reason);
      if (/^https?:/i.test(url)) {
        const answer = await outbound.call({
          system: SYSTEM,
          url: objectUrl(url, name),
          method: "PUT",
          headers: { "Content-Type": CONTENT_TYPE },
          body: csv,
          isTenantAddress: true,
          ...(about && { about }),
        });
        return { status: answer.status };
      }
      if (url.startsWith("s3:")) {
        if (!keys) throw refusedAddress("is a bucket, and the store has no keys to it");
        const bucket = openBucket(new URL(url), keys, {
          limits: DROP_LIMITS,
          config: {
            requestHandler: throughGuard(outbound, shop),
            maxAttempts: 1,
            followRegionRedirects: false,
            expectContinueHeader: false,
          },
        });
        await bucket.put(name, csv, CONTENT_TYPE).catch(refuse);
        return { status: 200 };
      }
      // A subfolder per store, below the configured address: no store can write to another store's files.
      const folder = openFolder(join(folderOf(url, rules.root), shop));
      await folder.put(name, csv).catch(refuse);
      return { status: null };
    },
  };
}

const refusedAddress = (problem: string) =>
  new OutboundError(SYSTEM, "refused_address", {
    message: `the address of ${SYSTEM} ${problem}`,
  });

/** Keeps the query: it may hold what opens the folder. */
function objectUrl(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `${withoutTrailingSlashes(url.pathname)}/${name}`;
  return url.href;
}

function refuse(error: unknown): never {
  if (error instanceof OutboundError) throw error;
  const { message, $metadata } = error as {
    message: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  throw new OutboundError(SYSTEM, status === undefined ? "network" : "status", {
    ...(status !== undefined && { status }),
    message: `${SYSTEM} rejected the file: ${message.slice(0, MAX_REASON_CHARACTERS)}`,
  });
}

type SdkRequest = {
  method: "PUT";
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

/**
 * A request handler for the AWS SDK that sends through `outbound`, with its address guard, time
 * limits and log.
 */
function throughGuard(outbound: Outbound, shop: string) {
  return {
    async handle(request: SdkRequest) {
      const { expect: _, ...headers } = request.headers;
      const query = Object.entries(request.query ?? {}).flatMap(([name, value]) =>
        [value ?? ""].flat().map((one) => [name, one]),
      );
      const url = `${request.protocol}//${request.hostname}${request.port ? `:${request.port}` : ""}${request.path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ""}`;
      const answer = await outbound.send({
        system: SYSTEM,
        url,
        method: request.method,
        headers,
        ...(typeof request.body === "string" || request.body instanceof Buffer
          ? { body: request.body }
          : {}),
        isTenantAddress: true,
        about: { shop },
      });
      requireTaken(answer);
      const flat = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      );
      return {
        response: { statusCode: answer.status, headers: flat, body: Buffer.from(answer.text) },
      };
    },
    metadata: { handlerProtocol: "http/1.1" },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
}

/**
 * The SDK's own error of a refusal has neither its status in the text nor its `Retry-After`. A page of a
 * proxy is a success to the SDK, and the file would be lost.
 */
function requireTaken(answer: OutboundAnswer): void {
  const { status, text, headers } = answer;
  if (status < 200 || status >= 300) throw toRefusal(answer);
  const isPage = /\bhtml\b/i.test(String(headers["content-type"] ?? "")) && text.trim() !== "";
  if ((isPage && !headers["etag"]) || /^\s*<(?:!doctype\s+)?html\b/i.test(text))
    throw new OutboundError(SYSTEM, "malformed", {
      status: 502,
      message: `${SYSTEM} answered something that is not a bucket's response, but a page for people`,
    });
}

/** Only the code and the message of the answer are kept: the rest of it repeats the store's key id. */
function toRefusal(answer: OutboundAnswer): OutboundError {
  const {
    message,
    body = "",
    status = answer.status,
    retryAfterMs,
  } = toStatusError(SYSTEM, answer);
  const region = String(answer.headers["x-amz-bucket-region"] ?? "");
  const reasons = [
    /<Code>(\w{1,60})<\/Code>/.exec(body)?.[1],
    /<Message>([^<]{1,300})/.exec(body)?.[1],
    // For a bucket in another region: what the merchant has to enter.
    status <= 400 && /^[a-z0-9-]{1,40}$/.test(region) ? `the bucket is in ${region}` : undefined,
  ].filter(Boolean);
  return new OutboundError(SYSTEM, "status", {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    message: reasons.length > 0 ? `${message}: ${reasons.join(", ")}` : message,
  });
}
