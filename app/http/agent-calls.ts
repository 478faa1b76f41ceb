// A call of a tool, as both protocols for agents come to it: who may, in which terms, with which arguments, and what it said.
// Whoever comes through here acts for the shopper, also with the shopper's own session; a browser's cookie is no agent's proof.
import type { Ctx } from "../context.server.ts";
import type { Person } from "../domain/identity/account.ts";
import type { AgentScope } from "../domain/agents/scopes.ts";
import { Meta, type AgentTool, type ToolCall } from "../domain/agents/tools/tool.ts";
import { errorMessage, refusalAnswer, type UcpTerms } from "../domain/agents/ucp-envelope.ts";
import { defaultTerms, negotiate } from "../domain/agents/ucp-negotiation.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError, isAppError } from "../runtime/errors.ts";
import { agentChallenge, requirePerson } from "./agent-guard.ts";
import { addressOfCaller, countAgentChange } from "./agent-limits.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import { addressFor } from "./discovery.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";

export type AdmittedCall = { tool: AgentTool; call: ToolCall & { person: Person | null } };
/** `invalid`: the arguments are wrong; `failed`: the tool said no, in its own words. */
export type ToolOutcome =
  { kind: "done" | "failed"; answer: object } | { kind: "invalid"; message: string };

/** DNS rebinding: a page that took over a name must not speak through its visitor's browser. */
export function requireOwnName(ctx: Ctx, inbound: Inbound, tenant: Tenant): void {
  const origin = inbound.header("origin");
  if (origin && !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  const host = URL.parse(`http://${inbound.header("host") ?? ""}`)?.hostname ?? "";
  const own = [new URL(ctx.baseUrl).hostname, tenant.shop, ...tenant.publicHosts];
  // Numbers cannot be rebound, and names without a dot are not the internet's.
  const isNumber = /^[\d.]+$|^\[/.test(host);
  if (host.includes(".") && !isNumber && !own.includes(host))
    throw new AppError("origin_not_allowed", {
      message:
        "The store is not reached under this name. List it in public_hosts and prove that it is yours.",
    });
}

/** The shopper whom the token is of, with everything that it rests on read anew. Throws 401 or 403. */
export async function requireShopper(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  scope: AgentScope,
): Promise<{ person: Person; tenant: Tenant }> {
  if (!bearerToken(inbound)) throw agentChallenge(ctx, inbound, tenant, "unauthorized");
  const acting = await requirePerson(ctx, inbound, tenant, { scope });
  if (!acting.person.consents.a2a)
    throw agentChallenge(ctx, inbound, tenant, "agent_consent_required", "insufficient_scope");
  if (!acting.tenant.config.agent_access_enabled) throw new AppError("agent_access_disabled");
  return acting;
}

/** Throws 401, 403, 429, or what is wrong with the agent's profile; nothing has happened by then. */
export async function admitCall(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  tool: AgentTool,
  args: unknown,
): Promise<AdmittedCall> {
  const acting = tool.scope ? await requireShopper(ctx, inbound, tenant, tool.scope) : null;
  const current = acting?.tenant ?? tenant;
  if (!tool.annotations.readOnlyHint) await countAgentChange(ctx, inbound, current);
  const meta = readMeta(args);
  const call = {
    ctx,
    tenant: current,
    address: addressFor(ctx, inbound, current),
    terms: await agreeOnTerms(ctx, inbound, current, meta?.["ucp-agent"]?.profile),
    idempotencyKey: meta?.["idempotency-key"] ?? null,
    userAgent: inbound.header("user-agent") ?? null,
  };
  return { tool, call: { ...call, person: acting?.person ?? null } };
}

function readMeta(args: unknown) {
  const meta =
    typeof args === "object" && args !== null && "meta" in args ? Meta.safeParse(args.meta) : null;
  return meta?.success ? meta.data : null;
}

/** `UCP-Agent: profile="https://…"`, for calls that do not name it themselves. */
const PROFILE_IN_HEADER = /(?:^|[\s,;])profile="([^"]{1,2000})"/;

async function agreeOnTerms(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  named: string | undefined,
): Promise<UcpTerms> {
  const profile = named ?? PROFILE_IN_HEADER.exec(inbound.header("ucp-agent") ?? "")?.[1];
  return profile === undefined
    ? defaultTerms(tenant)
    : negotiate(ctx, tenant, profile, addressOfCaller(ctx, inbound));
}

/** What the HTTP status tells, whatever the tool is: who may not, who must wait, what is broken. */
const TOLD_BY_STATUS = new Set([401, 403, 429, 500, 502, 503]);
const isToldByStatus = (error: AppError) =>
  (TOLD_BY_STATUS.has(error.status) && error.code !== "mandate_refused") ||
  error.code.startsWith("idempotency_");

export async function runTool({ tool, call }: AdmittedCall, args: unknown): Promise<ToolOutcome> {
  const parsed = tool.input.safeParse(args ?? {});
  if (!parsed.success)
    return {
      kind: "invalid",
      message: parsed.error.issues
        .slice(0, 5)
        .map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`)
        .join("; "),
    };
  if (tool.ucp.length > 0 && call.terms.capabilities.length === 0)
    return {
      kind: "failed",
      answer: refusalAnswer(call.terms, tool.ucp, [
        errorMessage(
          "capabilities_incompatible",
          "The platform and this store have no capability in common.",
          "unrecoverable",
        ),
      ]),
    };
  try {
    return { kind: "done", answer: await tool.run(call, parsed.data) };
  } catch (error) {
    if (!isAppError(error) || isToldByStatus(error)) throw error;
    if (error.code === "invalid_cursor") return { kind: "invalid", message: error.message };
    const code =
      error.code === "mandate_refused" ? `mandate_${String(error.details.reason)}` : error.code;
    if (tool.ucp.length > 0)
      return {
        kind: "failed",
        answer: refusalAnswer(call.terms, tool.ucp, [
          errorMessage(code, error.message, error.status === 404 ? "unrecoverable" : "recoverable"),
        ]),
      };
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
