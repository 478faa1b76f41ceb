// What an answer of the platform's GraphQL APIs (Admin and Storefront) contains, and which error it is.
import { OutboundError } from "../../runtime/errors.ts";
import { parseAnswer } from "../../runtime/outbound/answers.ts";
import { hideSent } from "../../runtime/outbound/hide-credentials.ts";
import type { OutboundAnswer, OutboundCall } from "../../runtime/outbound/outbound.ts";

const SYSTEM = "storefront";

type GraphqlError = {
  message: string;
  path?: (string | number)[];
  extensions?: { code?: string };
};

export type GraphqlAnswer<T> = {
  data: T | null;
  errors: GraphqlError[];
  /**
   * The rate-limit bucket after this call, in cost points; null when the response does not
   * state it.
   */
  throttle: { requested: number; available: number; restorePerSecond: number } | null;
  /**
   * The version that the call asked for, the one that answered, and the deprecated fields of the call; null when the
   * response names no version.
   */
  version: { asked: string; served: string; deprecated: string[] } | null;
};

/** `throttleStatus`: of the Admin API alone. */
type Cost = {
  requestedQueryCost: number;
  throttleStatus?: { currentlyAvailable: number; restoreRate: number };
};
type Body<T> = { data?: T; errors?: unknown; extensions?: { cost?: Cost } };

/** Throws an OutboundError `malformed` for a response that is no JSON. `call`: what was answered. */
export function toGraphqlAnswer<T>(call: OutboundCall, answer: OutboundAnswer): GraphqlAnswer<T> {
  const { data, errors, extensions } = parseAnswer<Body<T>>(SYSTEM, answer);
  return {
    data: usable(data),
    errors: errorsOf(errors, call),
    throttle: toThrottle(extensions?.cost),
    version: toVersion(call, answer),
  };
}

const VERSION = /\/api\/(\d{4}-\d{2})\/graphql\.json$/;
const MAX_DEPRECATED = 50;

/** shopify.dev "About Shopify API versioning". */
function toVersion({ url }: OutboundCall, { headers }: OutboundAnswer) {
  const asked = VERSION.exec(url)?.[1];
  const served = headers["x-shopify-api-version"];
  if (asked === undefined || typeof served !== "string") return null;
  const reason = headers["x-shopify-api-deprecated-reason"];
  const deprecated = typeof reason === "string" ? reason.split(/, */).filter(Boolean) : [];
  return { asked, served, deprecated: deprecated.slice(0, MAX_DEPRECATED) };
}

function toThrottle(cost: Cost | undefined): GraphqlAnswer<unknown>["throttle"] {
  if (!cost?.throttleStatus) return null;
  return {
    requested: cost.requestedQueryCost,
    available: cost.throttleStatus.currentlyAvailable,
    restorePerSecond: cost.throttleStatus.restoreRate,
  };
}

/** Every field that a document asks for is in its answer, even when it is null. */
const usable = <T>(data: T | null | undefined): T | null =>
  typeof data === "object" && data !== null && Object.keys(data).length > 0 ? data : null;

/** The platform's own failures. It answers them with HTTP 200. */
const SERVER_FAULTS: readonly (string | undefined)[] = ["INTERNAL_SERVER_ERROR", "TIMEOUT"];

const MAX_MESSAGES = 500;

/**
 * The error of an answer without usable data. Status 502 where the platform itself failed, which
 * includes an answer without an error; 429 for a throttled call; 423, as of HTTP, for a store that is
 * not active; else 422, which no retry can fix.
 */
export function toGraphqlError(name: string, errors: readonly GraphqlError[]): OutboundError {
  if (errors.length === 0)
    return new OutboundError(SYSTEM, "graphql", {
      status: 502,
      message: `${name} answered without data`,
    });
  const codes = errors.map(({ extensions }) => extensions?.code);
  const hasFailed = codes.some((code) => SERVER_FAULTS.includes(code));
  const messages = errors
    .map(({ message }) => message)
    .join("; ")
    .slice(0, MAX_MESSAGES);
  if (codes.includes("SHOP_INACTIVE"))
    return new OutboundError(SYSTEM, "status", {
      status: 423,
      message: `${name} refused every call of this store: ${messages}`,
    });
  return new OutboundError(SYSTEM, "graphql", {
    status: codes.includes("THROTTLED") ? 429 : hasFailed ? 502 : 422,
    message: `${name} ${hasFailed ? "failed at" : "refused"} the call: ${messages}`,
  });
}

/** Their messages are kept and shown: they are without what the call authenticated with. */
function errorsOf(errors: unknown, call: OutboundCall): GraphqlError[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) => {
    const fields = (typeof error === "object" ? error : { message: error }) as GraphqlError | null;
    return { ...fields, message: hideSent(String(fields?.message), call) };
  });
}
