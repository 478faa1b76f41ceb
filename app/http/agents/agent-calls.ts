// What a request is for the record of agents' calls (domain/agent-activity): who called, as the guards
// decide it (auth/agent-guard.ts), and its outcome. Searches for words, and what was found, are
// not part of it.
import type { Ctx } from "../../context.server.ts";
import {
  DONE,
  outcomeOf,
  type AgentCall,
  type CallCaller,
  type CallMoney,
} from "../../domain/agent-activity/agent-call.ts";
import { isOperation, type AgentOperation } from "../../domain/agent-activity/operations.ts";
import { recordAgentCall } from "../../domain/agent-activity/record-agent-call.ts";
import { hashSecret, isAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import type { Person } from "../../domain/identity/account.ts";
import { StaleTenantError, type Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { isAgentCall, saysToBeAgent } from "../auth/agent-guard.ts";
import { bearerToken } from "../auth/guards.ts";
import type { AnySpec } from "../endpoint.ts";
import { toAppError } from "../error-response.ts";

/** Called with what a call reserves or allows, where it is not the repetition of an earlier one. */
export type NoteMoney = (money: CallMoney) => void;

const personCaller = ({ account, clientId }: Person): CallCaller => ({
  clientId: clientId ?? null,
  userId: account.id,
});

/** A token that was not checked: whose it is, is looked up when the call is written. */
function tokenCaller(request: ApiRequest): CallCaller {
  const token = bearerToken(request);
  return token !== null && isAgentToken(token) ? { tokenHash: hashSecret(token) } : null;
}

/** A request for the same store again follows, which is then recorded. */
const isRepeated = (error: unknown): boolean => error instanceof StaleTenantError;

type ToolCallRecord = {
  ctx: Ctx;
  request: ApiRequest;
  tenant: Tenant;
  /** A tool's name, or `list_tasks`. */
  name: string;
  person: Person | null;
  money: CallMoney | null;
};

/** A tool call of /mcp or /a2a. */
export function recordToolCall(
  { ctx, request, tenant, name, person, money }: ToolCallRecord,
  outcome: Pick<AgentCall, "outcome" | "code">,
): void {
  if (!isOperation(name)) return;
  const caller = person ? personCaller(person) : tokenCaller(request);
  recordAgentCall(ctx, tenant, { operation: name, caller, ...outcome, money });
}

/** Runs the guards of a tool call, and records a refusal. */
export async function recordRefusal<T>(
  call: Omit<ToolCallRecord, "person" | "money">,
  authorize: () => Promise<T>,
): Promise<T> {
  try {
    return await authorize();
  } catch (error) {
    if (!isRepeated(error))
      recordToolCall({ ...call, person: null, money: null }, outcomeOf(toAppError(error)));
    throw error;
  }
}

/** A request of a route that agents may call; filled while it is answered. */
export type ServedCall = {
  ctx: Ctx;
  request: ApiRequest;
  spec: AnySpec;
  isProxied: boolean;
  tenant: Tenant | null;
  /** Undefined until the caller is authenticated; null: an anonymous caller, or one with the admin key. */
  principal: unknown;
  money: CallMoney | null;
};

/** Answers the request by `answer`, which fills `served`, and records the call with its outcome. */
export async function recordServedCall<T>(
  served: ServedCall,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    const answered = await answer();
    recordOutcome(served, null);
    return answered;
  } catch (error) {
    recordOutcome(served, error);
    throw error;
  }
}

/** `error` null: it was answered. */
function recordOutcome(served: ServedCall, error: unknown): void {
  const { ctx, spec, tenant, money } = served;
  const operation: AgentOperation | undefined = spec.agentOperation;
  if (operation === undefined || !tenant || isRepeated(error)) return;
  const caller = agentOf(served, tenant);
  if (caller === "no_agent") return;
  recordAgentCall(ctx, tenant, {
    operation,
    caller,
    ...(error === null ? DONE : outcomeOf(toAppError(error))),
    money,
  });
}

function agentOf(
  { ctx, request, spec, isProxied, principal }: ServedCall,
  tenant: Tenant,
): CallCaller | "no_agent" {
  if (spec.auth === "none") return saysToBeAgent(request) ? tokenCaller(request) : "no_agent";
  // As the guard: a session outside a browser's page is an agent where agents need the consent.
  const isAgent = () =>
    spec.agent?.needsConsent === true && !isProxied && isAgentCall(ctx, request, tenant);
  if (principal !== undefined) {
    if (principal === null) return "no_agent";
    const person = principal as Person;
    return person.clientId !== undefined || isAgent() ? personCaller(person) : "no_agent";
  }
  const token = bearerToken(request);
  if (token !== null && isAgentToken(token)) return tokenCaller(request);
  return token !== null && isAgent() ? null : "no_agent";
}
