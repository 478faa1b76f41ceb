// The browser's side of an agent's authorization: sign-in, consent page, decision. The only state
// between the pages is the URL, which contains the agent's request, and the session.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import {
  AUTHORIZATION_PARAMETERS,
  readAuthorizationRequest,
  toAnswerAddress,
  type AuthorizationRequest,
} from "../../domain/agents/oauth/authorization-request.ts";
import { TOKEN_SECONDS } from "../../domain/agents/oauth/agent-token.ts";
import { grantAccess } from "../../domain/agents/oauth/grants.ts";
import { formTargetOf, receiverOf } from "../../domain/agents/oauth/redirect-uris.ts";
import { offeredScopes } from "../../domain/agents/oauth/scopes.ts";
import { OIDC_PROVIDERS } from "../../domain/identity/oidc/providers.ts";
import { toReturnPath } from "../../domain/identity/oidc/journey.ts";
import { consumeRateLimit } from "../../domain/identity/rate-limits.ts";
import type { Session } from "../../domain/identity/session/sessions.ts";
import { issueToken } from "../../domain/identity/session/sessions.ts";
import { signIn, SignInInput } from "../../domain/identity/sign-in.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import {
  renderAgentConsent,
  renderAgentProblem,
  renderAgentSignIn,
  type PageProblem,
  type ShownAgent,
  type SignInProblem,
} from "../../embeds/agents/agent-pages.ts";
import { brandOfIssuer } from "../../embeds/public-config.ts";
import { isAppError, type ErrorCode } from "../../runtime/errors.ts";
import { secretEquals } from "../../runtime/secrets.ts";
import { clientAddress } from "../client-address.ts";
import { PAGE_HEADERS } from "../cors.ts";
import { lookForReader } from "../shopper/reader-look.ts";
import { addressFor } from "./discovery.ts";
import type { ApiRequest } from "../api-request.ts";
import { readVisit } from "../shopper/read-visit.ts";
import { plain, redirect, type ApiResponse } from "../api-response.ts";
import { CLEARED_SESSION_COOKIE, sessionCookie } from "../shopper/session-response.ts";
import { findCookieSession } from "../auth/session-guard.ts";

type Visit = { ctx: Ctx; request: ApiRequest; tenant: Tenant };

type Page = {
  status?: number;
  headers?: Record<string, string>;
  /**
   * Browsers apply `form-action` to a form's redirects too, so the agent's redirect URI must be
   * allowed.
   */
  formTarget?: string;
};

function html(body: string, { status = 200, headers = {}, formTarget = "" }: Page): ApiResponse {
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
  { request, tenant }: Visit,
  problem: PageProblem,
  { detail = null, ...page }: Pick<Page, "status" | "headers"> & { detail?: string | null },
): ApiResponse => html(renderAgentProblem(lookForReader(request, tenant), problem, detail), page);

/** This request's URL, rebuilt from the known parameters only. */
function ownAddress({ request: { url } }: Visit): string {
  const read = [...url.searchParams].filter(([name]) => AUTHORIZATION_PARAMETERS.has(name));
  return `${url.pathname}?${new URLSearchParams(read)}`;
}

/**
 * Returns the request or an error response. The agent receives errors only after the shopper's
 * sign-in.
 */
async function readRequest(
  visit: Visit,
  session: Session | null,
): Promise<AuthorizationRequest | ApiResponse> {
  const { ctx, request, tenant } = visit;
  const read = await readAuthorizationRequest(
    ctx,
    tenant,
    addressFor(ctx, request, tenant),
    request.url.searchParams,
    clientAddress(request, ctx.config.TRUST_PROXY_HOPS),
  );
  if (read.outcome === "ready") return read.request;
  if (read.outcome === "unsafe")
    return problemPage(visit, read.problem, { status: read.problem === "closed" ? 403 : 400 });
  if (!session)
    return problemPage(visit, "faulty", {
      status: 400,
      detail: `${read.error}: ${read.description}`,
    });
  return redirect(
    toAnswerAddress(read.place, { error: read.error, error_description: read.description }),
  );
}

const isRequest = (read: AuthorizationRequest | ApiResponse): read is AuthorizationRequest =>
  "client" in read;

function shown({ client, redirectUri }: AuthorizationRequest): ShownAgent {
  return { name: client.name, host: client.host, returnsTo: receiverOf(redirectUri) };
}

export async function showAuthorizePage(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<ApiResponse> {
  const visit = { ctx, request, tenant };
  const session = await findCookieSession(ctx, request, tenant);
  const authorization = await readRequest(visit, session);
  if (!isRequest(authorization)) return authorization;
  return session ? consentPage(visit, authorization, session) : signInPage(visit, authorization);
}

/** An attempt to sign in that is shown again. */
type FailedSignIn = Pick<Page, "status" | "headers"> & {
  problem?: SignInProblem | null;
  email?: string | undefined;
};

function signInPage(
  visit: Visit,
  authorization: AuthorizationRequest,
  { problem = null, email = "", ...page }: FailedSignIn = {},
): ApiResponse {
  const { ctx, request, tenant } = visit;
  const path = ownAddress(visit);
  // An external sign-in returns to the service's own host and limits the length of the return URL.
  const canReturn = toReturnPath(path) === path && !addressFor(ctx, request, tenant).isOwnHost;
  const elsewhere = canReturn
    ? Object.values(OIDC_PROVIDERS)
        .filter((provider) => provider.clientOf(tenant))
        .map(({ name }) => ({
          provider: name,
          href: `/auth/${name}/login?${new URLSearchParams({ shop: tenant.shop, return_to: path })}`,
        }))
    : [];
  return html(
    renderAgentSignIn(lookForReader(request, tenant), {
      agent: shown(authorization),
      action: path,
      email,
      problem,
      elsewhere,
      federatedBrand: brandOfIssuer(tenant.config.federated_issuer ?? ctx.config.FEDERATED_ISSUER),
    }),
    page,
  );
}

/**
 * Tied to this session, the request and what the page shows of it: a form of another agent or another shopper
 * is rejected, and so is one of an agent whose document names something else since.
 */
const csrfOf = (
  visit: Visit,
  session: Session,
  { client, redirectUri, scopes }: AuthorizationRequest,
): string =>
  visit.ctx.secrets.pseudonym(
    `${visit.tenant.shop}/oauth-consent`,
    JSON.stringify([
      hash("sha256", session.token),
      ownAddress(visit),
      client.name,
      redirectUri,
      scopes,
    ]),
  );

function consentPage(
  visit: Visit,
  authorization: AuthorizationRequest,
  session: Session,
): ApiResponse {
  const { account } = session;
  const { request, tenant } = visit;
  const values = {
    agent: shown(authorization),
    action: ownAddress(visit),
    csrf: csrfOf(visit, session, authorization),
    scopes: authorization.scopes,
    offered: offeredScopes(tenant),
    idleDays: TOKEN_SECONDS.refresh / 86_400,
    account: account.email ?? account.full_name ?? String(account.id),
  };
  return html(renderAgentConsent(lookForReader(request, tenant, account.language_pref), values), {
    formTarget: formTargetOf(authorization.redirectUri),
  });
}

export async function answerAuthorizeForm(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  fields: Record<string, string>,
): Promise<ApiResponse> {
  const visit = { ctx, request, tenant };
  // Browsers send the session cookie from every site, so the Origin header identifies the page that
  // sent the form.
  if (request.header("origin") !== new URL(addressFor(ctx, request, tenant).origin).origin)
    return problemPage(visit, "expired", { status: 403 });
  const session = await findCookieSession(ctx, request, tenant);
  const authorization = await readRequest(visit, session);
  if (!isRequest(authorization)) return authorization;
  if (fields.action === "sign_in") return submitSignIn(visit, authorization, fields);
  if (!session) return signInPage(visit, authorization);
  if (!secretEquals(fields.csrf ?? "", csrfOf(visit, session, authorization)))
    return problemPage(visit, "expired", { status: 403 });
  if (fields.action === "switch")
    return redirect(ownAddress(visit), { "Set-Cookie": CLEARED_SESSION_COOKIE });
  if (fields.action === "deny")
    return redirect(
      toAnswerAddress(authorization, {
        error: "access_denied",
        error_description: "The shopper did not allow it.",
      }),
    );
  if (fields.action !== "approve") return problemPage(visit, "expired", { status: 400 });
  try {
    // Counted as a consent: each answer may add an entry to the consent log, and adds a grant.
    await consumeRateLimit(ctx, tenant, { consent_per_account: String(session.account.id) });
    const code = await grantAccess(ctx, tenant, session, authorization, readVisit(request));
    return redirect(toAnswerAddress(authorization, { code }));
  } catch (error) {
    // The session ended between the check and the transaction.
    if (isAppError(error) && error.code === "unauthorized") return signInPage(visit, authorization);
    if (isAppError(error) && error.code === "too_many_requests")
      return problemPage(visit, "busy", { status: error.status, headers: error.headers });
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
  authorization: AuthorizationRequest,
  fields: Record<string, string>,
): Promise<ApiResponse> {
  const { ctx, request, tenant } = visit;
  const input = SignInInput.safeParse({ email: fields.email, password: fields.password });
  const { email } = fields;
  if (!input.success)
    return signInPage(visit, authorization, { status: 401, problem: "wrong", email });
  try {
    await consumeRateLimit(ctx, tenant, {
      login_per_email: input.data.email,
      login_per_address: clientAddress(request, ctx.config.TRUST_PROXY_HOPS),
    });
    const at = ctx.clock.now();
    const account = await signIn(ctx, tenant, input.data);
    return redirect(ownAddress(visit), {
      "Set-Cookie": sessionCookie(issueToken(ctx, tenant, account, at)),
    });
  } catch (error) {
    const problem = isAppError(error) ? SIGN_IN_PROBLEMS[error.code] : undefined;
    if (!isAppError(error) || !problem) throw error;
    const { status, headers } = error;
    return signInPage(visit, authorization, { status, headers, problem, email });
  }
}
