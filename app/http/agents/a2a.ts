// A2A over JSON-RPC, 1.0 and 0.3 (`A2A-Version`). A task is one tool call that completes before the
// response. Authentication errors are HTTP statuses, sent before the SDK reads the message.
// docs/decisions/021-agent-protocols.md
import type { Ctx } from "../../context.server.ts";
import { DONE } from "../../domain/agent-activity/agent-call.ts";
import { readSkillRequest } from "../../domain/agents/skills.ts";
import { findTask, type TaskOwner } from "../../domain/agents/tasks.ts";
import { findTool } from "../../domain/agents/tools/index.ts";
import type { Person } from "../../domain/identity/account.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import type { NoteAccess } from "../access/served-access.ts";
import type { ApiRequest } from "../api-request.ts";
import { json, type ApiResponse } from "../api-response.ts";
import { bearerToken } from "../auth/guards.ts";
import { Envelope, normalise, Params } from "./a2a-request.ts";
import { answerBySdk, type A2aCall } from "./a2a-server.ts";
import { recordRefusal, recordToolCall } from "./agent-calls.ts";
import { countAgentCall } from "./agent-limits.ts";
import { idOf, toRpcRefusal } from "./json-rpc.ts";
import { requireFewFields } from "./message-size.ts";
import {
  authorizeToolCall,
  findConsentingShopper,
  noteToolAccess,
  requireOwnName,
  requireConsentingShopper,
} from "./tool-calls.ts";

export async function answerA2a(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  body: unknown,
  accessed: NoteAccess,
): Promise<ApiResponse> {
  try {
    requireOwnName(ctx, request, tenant);
    await countAgentCall(ctx, request, tenant);
    const envelope = Envelope.safeParse(body);
    if (!envelope.success)
      throw new AppError("malformed_request", { message: "Send one JSON-RPC 2.0 message." });
    requireFewFields(envelope.data);
    const message = normalise(envelope.data);
    const call =
      message.method === "ListTasks"
        ? await readListCall(ctx, request, tenant, accessed)
        : await readCall(ctx, request, tenant, message.params, accessed);
    const answer = await answerBySdk(ctx, request, tenant, message, call);
    if (call.failure) throw call.failure;
    return json(200, answer);
  } catch (error) {
    return toRpcRefusal(error, idOf(body), "a2a");
  }
}

/**
 * An agent lists what it sent with its token: tasks about no shopper, and those about the shopper that
 * the token covers. Without a token there is nothing to list: who knows the id of an open task reads that
 * one.
 */
async function readListCall(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  accessed: NoteAccess,
): Promise<A2aCall> {
  const none = { asked: null, record: null, accessed };
  if (!bearerToken(request)) return { ...none, owner: null };
  const recorded = { ctx, request, tenant, name: "list_tasks" };
  const { person, scopes = null } = await recordRefusal(recorded, () =>
    requireConsentingShopper(ctx, request, tenant, null),
  );
  recordToolCall({ ...recorded, person, money: null }, DONE);
  noteToolAccess(accessed, "viewed", "task", person);
  return { ...none, owner: ownerOf(person, scopes) };
}

const ownerOf = (person: Person, scopes: TaskOwner["scopes"]): TaskOwner => ({
  userId: person.account.id,
  clientId: person.clientId ?? null,
  scopes,
});

/** Reads the request and authorizes the caller; throws before any effect. */
async function readCall(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  given: unknown,
  accessed: NoteAccess,
): Promise<A2aCall> {
  const params = Params.safeParse(given ?? {}).data ?? {};
  const taskId = params.message?.taskId || params.id;
  const record = taskId ? await findTask(ctx, tenant, taskId) : null;
  if (record?.scope) {
    const { person } = await requireConsentingShopper(ctx, request, tenant, record.scope);
    // Another shopper's task is reported as missing, and so is another agent's.
    const { userId, clientId } = ownerOf(person, null);
    if (userId !== record.user_id || clientId !== (record.client_id ?? null))
      return { asked: null, record: null, accessed };
    noteToolAccess(accessed, "viewed", "task", person);
  }
  const toolRequest = params.message?.parts
    ?.map(({ data }) => readSkillRequest(data))
    .find((found) => found !== null);
  const tool = toolRequest ? findTool(toolRequest.tool) : null;
  const needsToken = record?.scope || tool?.scope;
  const sender = needsToken ? null : await findConsentingShopper(ctx, request, tenant);
  if (!toolRequest || !tool) return { asked: null, record, sender, accessed };
  // The same message sent twice is one request (UCP "Request Idempotency").
  const args = withKey(toolRequest.args, params.message?.messageId ?? undefined);
  const admitted = await authorizeToolCall(ctx, request, tenant, tool, args);
  return {
    asked: {
      name: tool.name,
      args,
      admitted: tool.isOffered(admitted.call.tenant) ? admitted : null,
    },
    record,
    sender,
    accessed,
  };
}

function withKey(
  args: Record<string, unknown>,
  messageId: string | undefined,
): Record<string, unknown> {
  const meta = typeof args.meta === "object" && args.meta !== null ? args.meta : {};
  return messageId && !("idempotency-key" in meta)
    ? { ...args, meta: { "idempotency-key": messageId, ...meta } }
    : args;
}
