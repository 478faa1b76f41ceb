// The browser's side of letting an agent in: sign-in, question, answer. Nothing is kept between the pages but the address
// itself, which holds the agent's request, and the session.
import { hash } from "node:crypto";
import type { Ctx } from "../context.server.ts";
import {
  AUTHORIZATION_PARAMETERS,
  readAuthorizationRequest,
  toAnswerAddress,
  type AuthorizationRequest,
} from "../domain/agents/authorization-request.ts";
import { grantAccess } from "../domain/agents/grants.ts";
import { formTargetOf } from "../domain/agents/redirect-uris.ts";
import { OIDC_PROVIDERS } from "../domain/identity/oidc-providers.ts";
import { toReturnPath } from "../domain/identity/oidc-journey.ts";
import { countTry } from "../domain/identity/rate-limits.ts";
import type { Session } from "../domain/identity/sessions.ts";
import { issueToken } from "../domain/identity/sessions.ts";
import { signIn, SignInInput } from "../domain/identity/sign-in.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import {
  renderAgentConsent,
  renderAgentProblem,
  renderAgentSignIn,
  type PageProblem,
  type ShownAgent,
  type SignInProblem,
} from "../embeds/agent-pages.ts";
import { isAppError, type ErrorCode } from "../runtime/errors.ts";
import { secretEquals } from "../runtime/secrets.ts";
import { clientAddress } from "./client-address.ts";
import { PAGE_HEADERS } from "./cors.ts";
import { addressFor } from "./discovery.ts";
import type { Inbound } from "./inbound.ts";
import { plain, redirect, type Reply } from "./reply.ts";
import { CLEARED_SESSION_COOKIE, sessionCookie } from "./session-reply.ts";
import { findCookieSession } from "./session-guard.ts";

type Visit = { ctx: Ctx; inbound: Inbound; tenant: Tenant };

const lookOf = (tenant: Tenant, session: Session | null = null) => ({
  locale: session?.account.language_pref ?? tenant.config.locale,
  brand: tenant.config.brand_name ?? tenant.shop,
});

/** `formTarget`: browsers hold a form's redirects to `form-action` too, so the agent's address has to stand there. */
function html(
  status: number,
  body: string,
  formTarget = "",
  headers: Record<string, string> = {},
): Reply {
  const policy = (PAGE_HEADERS["Content-Security-Policy"] ?? "").replace(
    "form-action 'self'",
    `form-action 'self' ${formTarget}`.trimEnd(),
  );
  return plain(status, "text/html; charset=utf-8", body, {
    ...PAGE_HEADERS,
    "Content-Security-Policy": policy,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    ...headers,
  });
}

const problemPage = (
  tenant: Tenant,
  status: number,
  problem: PageProblem,
  detail: string | null = null,
): Reply => html(status, renderAgentProblem(lookOf(tenant), problem, detail));

/** This request's address: what it is made of and nothing else that came with it. */
function ownAddress({ inbound: { url } }: Visit): string {
  const read = [...url.searchParams].filter(([name]) => AUTHORIZATION_PARAMETERS.has(name));
  return `${url.pathname}?${new URLSearchParams(read)}`;
}

/** The request, or what to answer instead: the agent is told of a fault once the shopper has signed in, not before. */
async function readRequest(
  { ctx, inbound, tenant }: Visit,
  session: Session | null,
): Promise<AuthorizationRequest | Reply> {
  const read = await readAuthorizationRequest(
    ctx,
    tenant,
    addressFor(ctx, inbound, tenant),
    inbound.url.searchParams,
    clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
  );
  if (read.outcome === "ready") return read.request;
  if (read.outcome === "unsafe")
    return problemPage(tenant, read.problem === "closed" ? 403 : 400, read.problem);
  if (!session) return problemPage(tenant, 400, "faulty", `${read.error}: ${read.description}`);
  return redirect(
    toAnswerAddress(read.place, { error: read.error, error_description: read.description }),
  );
}

const isRequest = (read: AuthorizationRequest | Reply): read is AuthorizationRequest =>
  "client" in read;

function shown({ client, redirectUri }: AuthorizationRequest): ShownAgent {
  const { host, protocol } = new URL(redirectUri);
  return { name: client.name, host: client.host, returnsTo: host || protocol };
}

export async function showAuthorizePage(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
): Promise<Reply> {
  const visit = { ctx, inbound, tenant };
  const session = await findCookieSession(ctx, inbound, tenant);
  const request = await readRequest(visit, session);
  if (!isRequest(request)) return request;
  return session ? consentPage(visit, request, session) : signInPage(visit, request);
}

function signInPage(
  visit: Visit,
  request: AuthorizationRequest,
  status = 200,
  problem: SignInProblem | null = null,
  email = "",
  headers: Record<string, string> = {},
): Reply {
  const { ctx, inbound, tenant } = visit;
  const path = ownAddress(visit);
  // A sign-in elsewhere comes back to the service's own host, and carries only so long a way back.
  const comesBack = toReturnPath(path) === path && !addressFor(ctx, inbound, tenant).isOwnHost;
  const elsewhere = comesBack
    ? Object.values(OIDC_PROVIDERS)
        .filter((provider) => provider.clientOf(tenant))
        .map(({ name }) => ({
          provider: name,
          href: `/auth/${name}/login?${new URLSearchParams({ shop: tenant.shop, return_to: path })}`,
        }))
    : [];
  return html(
    status,
    renderAgentSignIn(lookOf(tenant), {
      agent: shown(request),
      action: path,
      email,
      problem,
      elsewhere,
    }),
    "",
    headers,
  );
}

/** Tied to this session and this very request: a form made for another agent, or for somebody else, is worth nothing. */
const csrfOf = (visit: Visit, session: Session): string =>
  visit.ctx.secrets.pseudonym(
    `${visit.tenant.shop}/oauth-consent`,
    `${hash("sha256", session.token)}\n${ownAddress(visit)}`,
  );

function consentPage(visit: Visit, request: AuthorizationRequest, session: Session): Reply {
  const { account } = session;
  const values = {
    agent: shown(request),
    action: ownAddress(visit),
    csrf: csrfOf(visit, session),
    scopes: request.scopes,
    account: account.email ?? account.full_name ?? String(account.id),
  };
  return html(
    200,
    renderAgentConsent(lookOf(visit.tenant, session), values),
    formTargetOf(request.redirectUri),
  );
}

export async function answerAuthorizeForm(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  fields: Record<string, string>,
): Promise<Reply> {
  const visit = { ctx, inbound, tenant };
  // The session's cookie goes along from every site; the Origin says which page sent the form.
  if (inbound.header("origin") !== new URL(addressFor(ctx, inbound, tenant).origin).origin)
    return problemPage(tenant, 403, "expired");
  const session = await findCookieSession(ctx, inbound, tenant);
  const request = await readRequest(visit, session);
  if (!isRequest(request)) return request;
  if (fields.action === "sign_in") return submitSignIn(visit, request, fields);
  if (!session) return signInPage(visit, request);
  if (!secretEquals(fields.csrf ?? "", csrfOf(visit, session)))
    return problemPage(tenant, 403, "expired");
  if (fields.action === "switch")
    return redirect(ownAddress(visit), { "Set-Cookie": CLEARED_SESSION_COOKIE });
  if (fields.action === "deny")
    return redirect(
      toAnswerAddress(request, {
        error: "access_denied",
        error_description: "The shopper did not allow it.",
      }),
    );
  if (fields.action !== "approve") return problemPage(tenant, 400, "expired");
  try {
    const code = await grantAccess(ctx, tenant, session, request, {
      userAgent: inbound.header("user-agent") ?? null,
      gpc: inbound.header("sec-gpc") === "1",
    });
    return redirect(toAnswerAddress(request, { code }));
  } catch (error) {
    // The session ended between the look at it and the transaction.
    if (isAppError(error) && error.code === "unauthorized") return signInPage(visit, request);
    throw error;
  }
}

const SIGN_IN_PROBLEMS: Partial<Record<ErrorCode, SignInProblem>> = {
  invalid_credentials: "wrong",
  account_suspended: "suspended",
  email_unverified: "unverified",
  too_many_requests: "busy",
  busy: "busy",
};

async function submitSignIn(
  visit: Visit,
  request: AuthorizationRequest,
  fields: Record<string, string>,
): Promise<Reply> {
  const { ctx, inbound, tenant } = visit;
  const input = SignInInput.safeParse({ email: fields.email, password: fields.password });
  if (!input.success) return signInPage(visit, request, 401, "wrong", fields.email);
  try {
    await countTry(ctx, tenant, {
      login_per_email: input.data.email,
      login_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
    });
    return redirect(ownAddress(visit), {
      "Set-Cookie": sessionCookie(issueToken(ctx, tenant, await signIn(ctx, tenant, input.data))),
    });
  } catch (error) {
    const problem = isAppError(error) ? SIGN_IN_PROBLEMS[error.code] : undefined;
    if (!isAppError(error) || !problem) throw error;
    return signInPage(visit, request, error.status, problem, fields.email, error.headers);
  }
}
