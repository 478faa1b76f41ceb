// The subjects of rate limits; the numbers are in identity/rate-limits.ts. A route declares its
// limits as `rateLimit`; the endpoint counts before the work and responds with 429 and `Retry-After`.
import type { Ctx } from "../context.server.ts";
import {
  consumeRateLimit,
  type RateLimitName,
  type Subjects,
} from "../domain/identity/rate-limits.ts";
import type { Person } from "../domain/identity/account.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { saysToBeAgent } from "./auth/agent-guard.ts";
import { issuedCaller } from "./auth/issued-caller.ts";
import type { ProxiedRequest } from "./auth/app-proxy.ts";
import type { EventSender } from "./auth/event-source-guard.ts";
import { callerAddress } from "./client-address.ts";
import type { ApiRequest } from "./api-request.ts";
import { sessionCredential } from "./auth/session-guard.ts";
import type { Visitor } from "./auth/visitor-guard.ts";

/**
 * The input of a subject. `principal` and `body` exist only for limits that count after the body
 * was read.
 */
type Seen = {
  ctx: Ctx;
  request: ApiRequest;
  tenant: Tenant | null;
  proxied: ProxiedRequest | null;
  principal?: unknown;
  body?: unknown;
  /** For limits with `readsIssuedToken`: the caller behind the token, if this service issued it. */
  issued?: string | null;
};
/** Null: this call does not count. */
type Subject = (seen: Seen) => string | null;

export type RateLimit = {
  /**
   * `before_auth`: also requests with invalid credentials count. `before_work`: invalid or rejected
   * requests do not.
   */
  counted: "before_auth" | "before_work";
  subjects: Partial<Record<RateLimitName, Subject>>;
  readsIssuedToken?: true;
};

const limit = (subjects: RateLimit["subjects"]): RateLimit => ({
  counted: "before_work",
  subjects,
});

const address: Subject = ({ ctx, request, proxied }) => callerAddress(ctx, request, proxied);
const field =
  (name: string): Subject =>
  ({ body }) =>
    String((body as Record<string, unknown>)[name]);
const account: Subject = ({ principal }) => String((principal as Person).account.id);
/** Unauthenticated visitors, counted by address. */
const anonymousAddress: Subject = (seen) =>
  (seen.principal as Visitor).kind === "anonymous" ? address(seen) : null;
const knownVisitor: Subject = ({ principal }) => {
  const visitor = principal as Visitor;
  if (visitor.kind === "session") return String(visitor.session.account.id);
  return visitor.kind === "customer" ? visitor.gid : null;
};

export const SIGN_IN = limit({ login_per_email: field("email"), login_per_address: address });
export const SIGN_UP = limit({ signup_per_address: address });
export const SIGN_IN_ELSEWHERE = limit({ sign_in_start_per_address: address });
export const INSTALL = limit({ install_start_per_address: address });
export const RESET_MAIL = limit({
  reset_mail_per_email: field("email"),
  reset_mail_per_address: address,
});
export const LINK_OR_CODE = limit({ link_tries_per_address: address });
export const CONSENT = limit({
  consent_per_address: anonymousAddress,
  consent_per_account: knownVisitor,
});
export const PROOF_CHECK = limit({ proof_checks_per_address: address });
export const POLICY_READ = limit({ policy_reads_per_address: address });
export const BANNER_EVENT = limit({ banner_events_per_address: address });

const ofPixels =
  (subject: Subject): Subject =>
  (seen) =>
    (seen.principal as EventSender).proof === "pixel_key" ? subject(seen) : null;
/** Events of the web pixel, whose key is public; other sources hold a secret and are not counted. */
export const PIXEL_EVENT = limit({
  pixel_events_per_address: ofPixels(address),
  pixel_events_per_store: ofPixels(({ tenant }) => tenant?.shop ?? null),
});
/** Counted for the extension in the store's customer accounts. */
export const CONSENT_OF_ACCOUNT = limit({ consent_per_account: account });
export const ACCOUNT_EXTENSION = limit({ account_extension_calls_per_account: account });
export const ACCOUNT_EXTENSION_EXPORT = limit({
  account_extension_calls_per_account: account,
  export_per_account: account,
});
export const OWN_TAGS = limit({ tag_changes_per_account: account });
export const OWN_EXPORT = limit({ export_per_account: account });
export const CLIENT_REGISTRATION = limit({ agent_registration_per_address: address });
export const OAUTH_TOKEN = limit({ oauth_token_per_address: address });

/**
 * The token of the header or the cookie. Headers that a caller can choose freely, such as `Origin`,
 * do not affect the count.
 */
const token: Subject = ({ request }) => sessionCredential(request)?.token ?? null;
const addressOfToken: Subject = (seen) => (token(seen) === null ? null : address(seen));

/** An agent's tokens of a shopper count together: it may renew them at any time. */
const holder: Subject = (seen) => seen.issued ?? token(seen);

/**
 * Agents and shoppers at /commerce/*: counted before the token is verified, because it may be
 * invalid.
 */
export const AGENT_READ: RateLimit = {
  counted: "before_auth",
  subjects: {
    agent_calls_per_token: holder,
    agent_token_calls_per_address: addressOfToken,
  },
  readsIssuedToken: true,
};
export const AGENT_CHANGE: RateLimit = {
  ...AGENT_READ,
  subjects: { ...AGENT_READ.subjects, agent_changes_per_caller: holder },
};

const ofNamedAgents =
  (subject: Subject): Subject =>
  (seen) =>
    saysToBeAgent(seen.request) ? subject(seen) : null;

/**
 * Public. A caller that identifies as an agent is counted with its other calls; a page of the store
 * reads more.
 */
export const CATALOG: RateLimit = {
  ...limit({
    catalog_reads_per_address: (seen) => (saysToBeAgent(seen.request) ? null : address(seen)),
    agent_calls_per_token: ofNamedAgents(({ issued }) => issued ?? null),
    agent_token_calls_per_address: ofNamedAgents((seen) => (seen.issued ? address(seen) : null)),
    agent_calls_per_address: ofNamedAgents((seen) => (seen.issued ? null : address(seen))),
  }),
  readsIssuedToken: true,
};

/** Throws `too_many_requests`. */
export async function enforceRateLimit(
  rateLimit: RateLimit | undefined,
  counted: RateLimit["counted"],
  seen: Seen,
): Promise<void> {
  if (rateLimit?.counted !== counted) return;
  const { ctx, tenant } = seen;
  const issued =
    rateLimit.readsIssuedToken && tenant ? await issuedCaller(ctx, tenant, token(seen)) : null;
  const subjects: Subjects = {};
  for (const [name, subject] of Object.entries(rateLimit.subjects)) {
    const value = subject({ ...seen, issued });
    if (value !== null) subjects[name as RateLimitName] = value;
  }
  if (Object.keys(subjects).length > 0) await consumeRateLimit(ctx, tenant, subjects);
}
