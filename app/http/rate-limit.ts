// Whom a route counts, beside the numbers of identity/rate-limits.ts. A route declares it as `rateLimit`; the endpoint counts
// before the work and answers 429 with `Retry-After`.
import type { Ctx } from "../context.server.ts";
import { isAgentToken } from "../domain/agents/agent-token.ts";
import { countTry, type RateLimitName, type Subjects } from "../domain/identity/rate-limits.ts";
import type { Session } from "../domain/identity/sessions.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { isAgentCall } from "./agent-guard.ts";
import { clientAddress } from "./client-address.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";
import type { Visitor } from "./visitor-guard.ts";

/** What a subject is read from. `principal` and `body` are there only for limits that count after the body was read. */
type Seen = {
  ctx: Ctx;
  inbound: Inbound;
  tenant: Tenant | null;
  principal?: unknown;
  body?: unknown;
};
/** Null: this call does not count against the limit. */
type Subject = (seen: Seen) => string | null;

export type RateLimit = {
  /** `before_auth`: also made-up credentials count. `before_work`: what is invalid or refused does not. */
  counted: "before_auth" | "before_work";
  subjects: Partial<Record<RateLimitName, Subject>>;
};

const limit = (subjects: RateLimit["subjects"]): RateLimit => ({
  counted: "before_work",
  subjects,
});

const address: Subject = ({ ctx, inbound }) => clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS);
const field =
  (name: string): Subject =>
  ({ body }) =>
    String((body as Record<string, unknown>)[name]);
const account: Subject = ({ principal }) => String((principal as Session).account.id);
/** People with a session and customers of the storefront's proxy are known; only strangers are counted. */
const strangersAddress: Subject = (seen) =>
  (seen.principal as Visitor).kind === "anonymous" ? address(seen) : null;

export const SIGN_IN = limit({ login_per_email: field("email"), login_per_address: address });
export const SIGN_UP = limit({ signup_per_address: address });
export const SIGN_IN_ELSEWHERE = limit({ sign_in_start_per_address: address });
export const INSTALL = limit({ install_start_per_address: address });
export const RESET_MAIL = limit({
  reset_mail_per_email: field("email"),
  reset_mail_per_address: address,
});
export const LINK_OR_CODE = limit({ link_tries_per_address: address });
export const CONSENT = limit({ consent_per_address: strangersAddress });
export const OWN_EXPORT = limit({ export_per_account: account });
export const CLIENT_REGISTRATION = limit({ agent_registration_per_address: address });
export const OAUTH_TOKEN = limit({ oauth_token_per_address: address });

/** The token of an agent, or of a session that an agent speaks with; null when a page of the store calls. */
const agentsToken: Subject = ({ ctx, inbound, tenant }) => {
  const token = bearerToken(inbound) ?? null;
  if (token === null || tenant === null) return null;
  return isAgentToken(token) || isAgentCall(ctx, inbound, tenant) ? token : null;
};
const addressOfToken: Subject = (seen) => (agentsToken(seen) === null ? null : address(seen));

/** Agents at /commerce/*: before anything is known of the token, which may be made up. */
export const AGENT_READ: RateLimit = {
  counted: "before_auth",
  subjects: {
    agent_calls_per_token: agentsToken,
    agent_token_calls_per_address: addressOfToken,
  },
};
export const AGENT_CHANGE: RateLimit = {
  counted: "before_auth",
  subjects: { ...AGENT_READ.subjects, agent_changes_per_caller: agentsToken },
};

const saysToBeAgent = (inbound: Inbound) =>
  inbound.header("ucp-agent") !== undefined ||
  inbound.header("a2a-version") !== undefined ||
  isAgentToken(bearerToken(inbound) ?? "");

/** What is open to everybody: pages of the store read on, whoever says to be an agent is counted. */
export const NAMED_AGENT = limit({
  agent_calls_per_token: ({ inbound }) =>
    saysToBeAgent(inbound) ? (bearerToken(inbound) ?? null) : null,
  agent_token_calls_per_address: (seen) =>
    saysToBeAgent(seen.inbound) && bearerToken(seen.inbound) ? address(seen) : null,
  agent_calls_per_address: (seen) =>
    saysToBeAgent(seen.inbound) && !bearerToken(seen.inbound) ? address(seen) : null,
});

/** Throws `too_many_requests`. */
export async function enforceRateLimit(
  rateLimit: RateLimit | undefined,
  counted: RateLimit["counted"],
  seen: Seen,
): Promise<void> {
  if (rateLimit?.counted !== counted) return;
  const subjects: Subjects = {};
  for (const [name, subject] of Object.entries(rateLimit.subjects)) {
    const value = subject(seen);
    if (value !== null) subjects[name as RateLimitName] = value;
  }
  if (Object.keys(subjects).length > 0) await countTry(seen.ctx, seen.tenant, subjects);
}
