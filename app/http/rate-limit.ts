// Whom a route counts, beside the numbers of identity/rate-limits.ts. A route declares it as `rateLimit`; the endpoint counts
// before the work and answers 429 with `Retry-After`.
import type { Ctx } from "../context.server.ts";
import { isAgentToken } from "../domain/agents/agent-token.ts";
import { countTry, type RateLimitName, type Subjects } from "../domain/identity/rate-limits.ts";
import type { Session } from "../domain/identity/sessions.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import { callerAddress } from "./client-address.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";
import { sessionCredential } from "./session-guard.ts";
import type { Visitor } from "./visitor-guard.ts";

/** What a subject is read from. `principal` and `body` are there only for limits that count after the body was read. */
type Seen = {
  ctx: Ctx;
  inbound: Inbound;
  tenant: Tenant | null;
  proxied: ProxiedRequest | null;
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

const address: Subject = ({ ctx, inbound, proxied }) => callerAddress(ctx, inbound, proxied);
const field =
  (name: string): Subject =>
  ({ body }) =>
    String((body as Record<string, unknown>)[name]);
const account: Subject = ({ principal }) => String((principal as Session).account.id);
/** Of strangers, who have no account to count by. */
const strangersAddress: Subject = (seen) =>
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
  consent_per_address: strangersAddress,
  consent_per_account: knownVisitor,
});
export const OWN_TAGS = limit({ tag_changes_per_account: account });
export const OWN_EXPORT = limit({ export_per_account: account });
export const CLIENT_REGISTRATION = limit({ agent_registration_per_address: address });
export const OAUTH_TOKEN = limit({ oauth_token_per_address: address });

/** Of the header or the cookie. What a caller says of itself, `Origin` included, decides no count. */
const token: Subject = ({ inbound }) => sessionCredential(inbound)?.token ?? null;
const addressOfToken: Subject = (seen) => (token(seen) === null ? null : address(seen));

/** Agents and shoppers at /commerce/*: before anything is known of the token, which may be made up. */
export const AGENT_READ: RateLimit = {
  counted: "before_auth",
  subjects: {
    agent_calls_per_token: token,
    agent_token_calls_per_address: addressOfToken,
  },
};
export const AGENT_CHANGE: RateLimit = {
  counted: "before_auth",
  subjects: { ...AGENT_READ.subjects, agent_changes_per_caller: token },
};

const saysToBeAgent = (inbound: Inbound) =>
  inbound.header("ucp-agent") !== undefined ||
  inbound.header("a2a-version") !== undefined ||
  isAgentToken(bearerToken(inbound) ?? "");

const ofNamedAgents =
  (subject: Subject): Subject =>
  (seen) =>
    saysToBeAgent(seen.inbound) ? subject(seen) : null;

/** Open to everybody. Who says to be an agent is counted with its other calls; a page of the store reads more. */
export const CATALOGUE = limit({
  catalogue_reads_per_address: (seen) => (saysToBeAgent(seen.inbound) ? null : address(seen)),
  agent_calls_per_token: ofNamedAgents(token),
  agent_token_calls_per_address: ofNamedAgents(addressOfToken),
  agent_calls_per_address: ofNamedAgents((seen) => (token(seen) === null ? address(seen) : null)),
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
