// A2A over JSON-RPC, 1.0 and 0.3 (`A2A-Version`). The SDK implements the protocol; a task is one
// tool call that completes before the response. Authentication errors are HTTP statuses, sent
// before the SDK reads the message. docs/decisions/021-agent-protocols.md
import { AgentCard, Task, taskStateToJSON } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import {
  AgentEvent,
  DefaultRequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
  type AgentExecutor,
  type TaskStore,
} from "@a2a-js/sdk/server";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { DONE } from "../../domain/agent-activity/agent-call.ts";
import { buildAgentCard } from "../../domain/agents/agent-card.ts";
import { readSkillRequest } from "../../domain/agents/skills.ts";
import {
  findTask,
  keepTask,
  listTasks,
  type TaskOwner,
  type TaskRecord,
} from "../../domain/agents/tasks.ts";
import { findTool } from "../../domain/agents/tools/index.ts";
import type { Person } from "../../domain/identity/account.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError, isAppError } from "../../runtime/errors.ts";
import type { NoteAccess } from "../access/served-access.ts";
import { toTask } from "./a2a-messages.ts";
import { recordRefusal, recordToolCall } from "./agent-calls.ts";
import {
  authorizeToolCall,
  noteToolAccess,
  requireOwnName,
  requireShopper,
  runTool,
  type AdmittedCall,
  type ToolOutcome,
} from "./tool-calls.ts";
import { countAgentCall } from "./agent-limits.ts";
import { addressFor } from "./discovery.ts";
import { bearerToken } from "../auth/guards.ts";
import type { ApiRequest } from "../api-request.ts";
import {
  idOf,
  INTERNAL_ERROR,
  INTERNAL_MESSAGE,
  toRpcRefusal,
  wrongParameter,
} from "./json-rpc.ts";
import { json, type ApiResponse } from "../api-response.ts";

const Envelope = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
const Params = z.looseObject({
  id: z.string().nullish(),
  message: z
    .looseObject({
      messageId: z.string().max(255).nullish(),
      role: z.union([z.string(), z.number()]).nullish(),
      taskId: z.string().nullish(),
      parts: z.array(z.looseObject({ data: z.unknown().optional() })).nullish(),
    })
    .nullish(),
});
const PushParams = z.looseObject({
  taskId: z.string(),
  pushNotificationConfig: z.looseObject({ url: z.string() }),
});
const SET_PUSH = "tasks/pushNotificationConfig/set";

/**
 * One message during its processing by the SDK. `asked`: its tool; `owner`: whose tasks it lists;
 * `failure`: the tool's error, which is answered in place of a task.
 */
type A2aCall = {
  asked: { name: string; args: unknown; admitted: AdmittedCall | null } | null;
  record: TaskRecord | null;
  owner?: TaskOwner | null;
  accessed: NoteAccess;
  failure?: unknown;
};

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
    const message = Envelope.safeParse(body);
    if (!message.success)
      throw new AppError("malformed_request", { message: "Send one JSON-RPC 2.0 message." });
    const call =
      message.data.method === "ListTasks"
        ? await readListCall(ctx, request, tenant, accessed)
        : await readCall(ctx, request, tenant, message.data.params, accessed);
    const answer = await dispatch(ctx, request, tenant, message.data, call);
    if (call.failure) throw call.failure;
    return json(200, answer);
  } catch (error) {
    return toRpcRefusal(error, idOf(body), "a2a");
  }
}

/**
 * An agent lists its own tasks about the shopper that its token covers. Without a token there is
 * nothing to list: who knows the id of an open task reads that one.
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
    requireShopper(ctx, request, tenant, null),
  );
  recordToolCall({ ...recorded, person, money: null }, DONE);
  noteToolAccess(accessed, "task", person, true);
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
    const { person } = await requireShopper(ctx, request, tenant, record.scope);
    // Another shopper's task is reported as missing, and so is another agent's.
    const { userId, clientId } = ownerOf(person, null);
    if (userId !== record.user_id || clientId !== (record.client_id ?? null))
      return { asked: null, record: null, accessed };
    noteToolAccess(accessed, "task", person, true);
  }
  const toolRequest = params.message?.parts
    ?.map(({ data }) => readSkillRequest(data))
    .find((found) => found !== null);
  const tool = toolRequest ? findTool(toolRequest.tool) : null;
  if (!toolRequest || !tool) return { asked: null, record, accessed };
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

const LEGACY = "0.3";

async function dispatch(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  message: z.output<typeof Envelope>,
  call: A2aCall,
): Promise<unknown> {
  // Without the header the spelling of the method decides: `message/send` is 0.3, `SendMessage` is 1.0.
  const named = request.header("a2a-version") || (message.method.includes("/") ? LEGACY : "1.0");
  const version = /^(0\.3|1\.0)\.\d+$/.exec(named)?.[1] ?? named;
  const isLegacy = version === LEGACY;
  const card = AgentCard.fromJSON(
    buildAgentCard(tenant, addressFor(ctx, request, tenant), undefined),
  );
  const handler = new DefaultRequestHandler(
    card,
    toStore(ctx, tenant, call),
    toExecutor(ctx, call),
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    { keepBusAliveStates: [] },
  );
  const protocol = isLegacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const toError = (error: unknown) => ({
    jsonrpc: "2.0",
    id: idOf(message),
    error: isLegacy
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
      : JsonRpcTransportHandler.mapToJSONRPCError(error),
  });
  const shown = (answer: unknown): unknown => {
    const reason = Failure.safeParse(answer).data?.error.message;
    if (reason === undefined) return answer;
    ctx.log.error("agent.a2a_failed", reason, { shop: tenant.shop });
    return toError(new Error(INTERNAL_MESSAGE));
  };
  try {
    validateVersion(version, card, "JSONRPC");
    requireWhole(message);
    const answer = await protocol.handle(
      message,
      new ServerCallContext({ requestedVersion: version }),
    );
    // A streaming request is rejected at its first event: the agent card offers no streaming.
    return shown(
      Symbol.asyncIterator in answer ? (await answer[Symbol.asyncIterator]().next()).value : answer,
    );
  } catch (error) {
    return shown(toError(error));
  }
}

const Failure = z.object({
  error: z.object({ code: z.literal(INTERNAL_ERROR), message: z.string() }),
});

/** A message has a role and at least one part (A2A "Message"); the SDK validates no types. */
function requireWhole({ method, params }: z.output<typeof Envelope>): void {
  const { data, error } = Params.safeParse(params ?? {});
  const fault = error ?? (method === SET_PUSH ? PushParams.safeParse(params).error : undefined);
  if (fault) throw new RequestMalformedError(wrongParameter(fault));
  const message = data?.message;
  if (message && !message.role) throw new RequestMalformedError("message.role is required.");
  if (message?.parts?.length === 0)
    throw new RequestMalformedError("message.parts must hold at least one part.");
}

function toStore(ctx: Ctx, tenant: Tenant, call: A2aCall): TaskStore {
  const owner = call.asked?.admitted;
  return {
    async load() {
      return call.record ? Task.fromJSON(call.record.task) : undefined;
    },
    async save(task) {
      const person = owner?.call.person;
      call.record = {
        task: Task.toJSON(task),
        scope: owner?.tool.scope ?? call.record?.scope ?? null,
        user_id: person?.account.id ?? call.record?.user_id ?? null,
        client_id: person?.clientId ?? call.record?.client_id ?? null,
      };
      await keepTask(ctx, tenant, task.id, call.record);
    },
    async list({ contextId, status, statusTimestampAfter, pageSize = 0, pageToken, ...wanted }) {
      if (!call.owner) return { tasks: [], nextPageToken: "", pageSize, totalSize: 0 };
      const { tasks, next, total } = await listTasks(ctx, tenant, call.owner, {
        contextId: contextId || null,
        state: status ? taskStateToJSON(status) : null,
        changedAfter: statusTimestampAfter ? new Date(statusTimestampAfter).toISOString() : null,
        limit: pageSize,
        cursor: pageToken || undefined,
      }).catch((error: unknown) => {
        throw isAppError(error) ? new RequestMalformedError(error.message) : error;
      });
      const shown = tasks.map((task) => Task.fromJSON(task));
      if (!wanted.includeArtifacts) for (const task of shown) task.artifacts = [];
      return { tasks: shown, nextPageToken: next, pageSize, totalSize: total };
    },
  };
}

function toExecutor(ctx: Ctx, call: A2aCall): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const { asked } = call;
      const outcome: ToolOutcome = asked?.admitted
        ? await runTool(asked.admitted, asked.args, call.accessed).catch((error: unknown) => {
            call.failure = error;
            return { kind: "failed" as const, answer: {} };
          })
        : { kind: "invalid", message: "This store does not offer that." };
      bus.publish(
        AgentEvent.task(
          toTask(
            { taskId, contextId, newId: () => ctx.random.uuid(), now: ctx.clock.now() },
            task?.history ?? [userMessage],
            asked && { tool: asked.name, outcome },
          ),
        ),
      );
      bus.finished();
    },
    // A task completes before its id is returned, so there is nothing to cancel.
    async cancelTask() {},
  };
}
