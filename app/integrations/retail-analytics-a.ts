// Retail measurement A takes files: an object below the address that the store was given, in one of the forms of the
// archive's address, or put over https (a pre-signed folder). Addresses are a tenant's: docs/decisions/015.
import { join } from "node:path";
import { OutboundError } from "../runtime/errors.ts";
import type { Outbound } from "../runtime/outbound.ts";
import { withoutTrailingSlashes } from "../runtime/slashes.ts";
import { findAddressProblem, folderOf, type AddressRules } from "../runtime/tenant-address.ts";
import { openBucket, openFolder, type Archive } from "./archive.ts";

const SYSTEM = "retail_analytics_a";
const CONTENT_TYPE = "text/csv; charset=utf-8";
const KEPT_BUCKETS = 200;

export type RetailAnalyticsAClient = {
  /** Writes the object, replacing one of the same name. The status is null where none is told. Throws OutboundError. */
  drop(
    access: { url: string; shop: string; about?: Record<string, unknown> },
    name: string,
    csv: string,
  ): Promise<{ status: number | null }>;
};

export function createRetailAnalyticsAClient({
  outbound,
  addressRules,
}: {
  outbound: Outbound;
  addressRules: AddressRules;
}): RetailAnalyticsAClient {
  const buckets = new Map<string, Archive>();

  /** Kept, because finding the credentials may take a call. */
  function bucketOf(url: string, shop: string): Archive {
    const key = `${shop} ${url}`;
    const bucket =
      buckets.get(key) ??
      openBucket(new URL(url), {
        requestHandler: throughGuard(outbound, shop),
        maxAttempts: 1,
        followRegionRedirects: false,
        expectContinueHeader: false,
      });
    if (buckets.size >= KEPT_BUCKETS) buckets.clear();
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    async drop({ url, shop, about }, name, csv) {
      const problem = findAddressProblem(url, addressRules);
      if (problem)
        throw new OutboundError(SYSTEM, "refused_address", {
          message: `the address of ${SYSTEM} ${problem}`,
        });
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
      const isBucket = url.startsWith("s3:");
      // A folder of the store's own, whatever it wrote in the address: no store reaches another's files.
      const target = isBucket
        ? bucketOf(url, shop)
        : openFolder(join(folderOf(url, addressRules.root), shop));
      await target.put(name, csv, CONTENT_TYPE).catch(refuse);
      return { status: isBucket ? 200 : null };
    },
  };
}

/** A query stays: it may be the signature that opens the folder. */
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
    message: `${SYSTEM} took nothing: ${message.slice(0, 200)}`,
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

/** The vendor's client connects by our own calls: the same address guard, time limits and log as for every other system. */
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
