// A tool call in both agent protocols: authorization, negotiated terms, arguments and result. The
// caller acts for the shopper, also with the shopper's own session; a browser's cookie does not
// authenticate an agent.
import type { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import {
  DONE,
  outcomeOf,
  type AgentCall,
  type CallMoney,
} from "../../domain/agent-activity/agent-call.ts";
import type { Person } from "../../domain/identity/account.ts";
import type { AgentScope } from "../../domain/agents/oauth/scopes.ts";
import { Meta, type AgentTool, type ToolCall } from "../../domain/agents/tools/tool.ts";
import { errorMessage, refusalAnswer, type UcpTerms } from "../../domain/agents/ucp/envelope.ts";
import { defaultTerms, negotiate } from "../../domain/agents/ucp/negotiation.ts";
import { refusalMessages } from "../../domain/agents/ucp/refusals.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError, isAppError } from "../../runtime/errors.ts";
import type { NoteAccess } from "../access/served-access.ts";
import {
  agentChallenge,
  requirePerson,
  withChallenge,
  type ActingPerson,
} from "../auth/agent-guard.ts";
import { recordRefusal, recordToolCall } from "./agent-calls.ts";
import { addressOfCaller, countAgentChange } from "./agent-limits.ts";
import { isAllowedOrigin } from "../../domain/tenants/allowed-origins.ts";
import { addressFor } from "./discovery.ts";
import { parseArguments } from "./tool-arguments.ts";
import { bearerToken } from "../auth/guards.ts";
import type { ApiRequest } from "../api-request.ts";
import { toAppError } from "../error-response.ts";

export type AdmittedCall = {
  tool: AgentTool;
  call: ToolCall & { person: Person | null };
  /** An error about the caller's access, as it is answered before the call runs. */
  challenged(error: unknown): unknown;
  /** Records the outcome of the call. */
  record(outcome: Pick<AgentCall, "outcome" | "code">): void;
};
/** `invalid`: wrong arguments; `failed`: the tool rejected the call with its own message. */
export type ToolOutcome =
  { kind: "done" | "failed"; answer: object } | { kind: "invalid"; message: string };

/**
 * Prevents DNS rebinding: a page under a rebound name must not call through its visitor's browser.
 */
export function requireOwnName(ctx: Ctx, request: ApiRequest, tenant: Tenant): void {
  const origin = request.header("origin");
  if (origin && !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  const host = URL.parse(`http://${request.header("host") ?? ""}`)?.hostname ?? "";
  const own = [new URL(ctx.baseUrl).hostname, tenant.shop, ...tenant.publicHosts];
  // IP addresses cannot be rebound, and names without a dot are not public.
  const isNumber = /^[\d.]+$|^\[/.test(host);
  if (host.includes(".") && !isNumber && !own.includes(host))
    throw new AppError("origin_not_allowed", {
      message:
        "The store is not reached under this name. List it in public_hosts and prove that it is yours.",
    });
}

/**
 * The token's shopper, with the session, account and consent read again. `scope` null: a token of
 * any scope. Throws 401 or 403.
 */
export async function requireConsentingShopper(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  scope: AgentScope | null,
): Promise<ActingPerson> {
  if (!bearerToken(request)) throw agentChallenge(ctx, request, tenant, "unauthorized");
  const acting = await requirePerson(ctx, request, tenant, { scope });
  if (!acting.person.consents.a2a)
    throw agentChallenge(ctx, request, tenant, "agent_consent_required", {
      error: "insufficient_scope",
      scope,
    });
  if (!acting.tenant.config.agent_access_enabled) throw new AppError("agent_access_disabled");
  return { ...acting, person: { ...acting.person, isAgent: true } };
}

/**
 * The shopper of a token that comes with what needs none; null without a token and without the
 * shopper's consent, since that is open to anybody. A token that is not valid in this store, or no
 * longer, is a 401: its client renews it (MCP "Token Handling"; DECISIONS 3).
 */
export async function findConsentingShopper(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<Person | null> {
  if (!bearerToken(request)) return null;
  try {
    return (await requireConsentingShopper(ctx, request, tenant, null)).person;
  } catch (error) {
    if (isAppError(error) && error.status === 403) return null;
    throw error;
  }
}

/** Throws 401, 403, 429, or an error in the agent's profile, before any effect. */
export const authorizeToolCall = (
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  tool: AgentTool,
  args: unknown,
): Promise<AdmittedCall> =>
  recordRefusal({ ctx, request, tenant, name: tool.name }, () =>
    admit(ctx, request, tenant, tool, args),
  );

async function admit(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  tool: AgentTool,
  args: unknown,
): Promise<AdmittedCall> {
  const acting = tool.scope
    ? await requireConsentingShopper(ctx, request, tenant, tool.scope)
    : null;
  const current = acting?.tenant ?? tenant;
  if (!tool.annotations.readOnlyHint) await countAgentChange(ctx, request, current);
  const meta = readMeta(args);
  const profile = profileOf(request, meta?.["ucp-agent"]?.profile);
  let money: CallMoney | null = null;
  const call = {
    ctx,
    tenant: current,
    address: addressFor(ctx, request, current),
    terms: await agreeOnTerms(ctx, request, current, profile),
    caller: JSON.stringify([addressOfCaller(ctx, request), bearerToken(request), profile]),
    idempotencyKey: meta?.["idempotency-key"] ?? null,
    userAgent: request.header("user-agent") ?? null,
    noteMoney: (noted: CallMoney) => void (money = noted),
  };
  const person = acting?.person ?? null;
  return {
    tool,
    call: { ...call, person },
    challenged: (error) => withChallenge(ctx, request, current, tool.scope, error),
    record: (outcome) =>
      recordToolCall({ ctx, request, tenant: current, name: tool.name, person, money }, outcome),
  };
}

function readMeta(args: unknown) {
  const meta =
    typeof args === "object" && args !== null && "meta" in args
      ? parseArguments(Meta, args.meta)
      : null;
  return meta?.success ? meta.data : null;
}

/** `UCP-Agent: profile="https://…"`, for calls without their own profile. */
const PROFILE_IN_HEADER = /(?:^|[\s,;])profile="([^"]{1,2000})"/;

const profileOf = (request: ApiRequest, named: string | undefined): string | undefined =>
  named ?? PROFILE_IN_HEADER.exec(request.header("ucp-agent") ?? "")?.[1];

async function agreeOnTerms(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  profile: string | undefined,
): Promise<UcpTerms> {
  return profile === undefined
    ? defaultTerms(tenant)
    : negotiate(ctx, tenant, profile, addressOfCaller(ctx, request));
}

/** Errors that set the HTTP status for every tool: unauthorized, rate limited, broken. */
const HTTP_STATUS_ERRORS = new Set([401, 403, 429, 500, 502, 503]);
const isHttpStatusError = (error: AppError) =>
  (HTTP_STATUS_ERRORS.has(error.status) && error.code !== "mandate_refused") ||
  error.code.startsWith("idempotency_");

/** Notes the access of an agent to the data of the shopper who lets it act. */
export function noteToolAccess(
  accessed: NoteAccess,
  action: "viewed" | "changed",
  part: string,
  person: Person,
) {
  accessed({
    action,
    actor: { kind: "agent", id: person.clientId ?? null },
    userIds: [person.account.id],
    part,
  });
}

/** The reason repeats field names of the caller, which may be of any length. */
const MAX_REASON_LENGTH = 1_000;

const reasonOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`)
    .join("; ")
    .slice(0, MAX_REASON_LENGTH);

const NOTHING_IN_COMMON = errorMessage(
  "capabilities_incompatible",
  "The platform and this store have no capability in common.",
  "unrecoverable",
);

/** Calls `accessed` for a tool that gave an answer, and records the call. */
export async function runTool(
  admitted: AdmittedCall,
  args: unknown,
  accessed: NoteAccess,
): Promise<ToolOutcome> {
  const { tool, call, record, challenged } = admitted;
  const parsed = parseArguments(tool.input, args ?? {});
  if (!parsed.success) {
    record({ outcome: "failed", code: "invalid_request" });
    return { kind: "invalid", message: reasonOf(parsed.error) };
  }
  if (tool.ucp.length > 0 && call.terms.capabilities.length === 0) {
    record({ outcome: "failed", code: "version_unsupported" });
    return { kind: "failed", answer: refusalAnswer(call.terms, tool.ucp, [NOTHING_IN_COMMON]) };
  }
  try {
    const answer = await tool.run(call, parsed.data);
    const action = tool.annotations.readOnlyHint ? "viewed" : "changed";
    if (call.person) noteToolAccess(accessed, action, tool.name, call.person);
    record(DONE);
    return { kind: "done", answer };
  } catch (error) {
    record(outcomeOf(toAppError(error)));
    if (!isAppError(error) || isHttpStatusError(error)) throw challenged(error);
    if (error.code === "invalid_cursor") return { kind: "invalid", message: error.message };
    if (tool.ucp.length > 0) return answerRefusal(admitted, parsed.data, error, accessed);
    return {
      kind: "failed",
      answer: {
        code: error.code,
        message: error.message,
        ...error.details,
        ...(error.fields && { fields: error.fields }),
      },
    };
  }
}

/** In UCP's shape. A refused change answers the unchanged object, with the reasons as messages. */
async function answerRefusal(
  { tool, call }: AdmittedCall,
  args: unknown,
  error: AppError,
  accessed: NoteAccess,
): Promise<ToolOutcome> {
  const messages = refusalMessages(error, tool.pathOf?.(args));
  const unchanged = error.status === 404 ? undefined : await tool.showUnchanged?.(call, args);
  if (!unchanged) return { kind: "failed", answer: refusalAnswer(call.terms, tool.ucp, messages) };
  if (call.person) noteToolAccess(accessed, "viewed", tool.name, call.person);
  return {
    kind: "done",
    answer: { ...unchanged, messages: [...messages, ...(unchanged.messages ?? [])] },
  };
}
