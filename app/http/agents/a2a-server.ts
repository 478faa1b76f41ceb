// One A2A message through the SDK, which implements the protocol: our tasks are its store, our tools
// its executor.
import { AgentCard, Task, taskStateToJSON } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
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
import { buildAgentCard } from "../../domain/agents/agent-card.ts";
import { keepTask, listTasks, type TaskOwner, type TaskRecord } from "../../domain/agents/tasks.ts";
import type { Person } from "../../domain/identity/account.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { isAppError } from "../../runtime/errors.ts";
import type { NoteAccess } from "../access/served-access.ts";
import type { ApiRequest } from "../api-request.ts";
import { toTask } from "./a2a-messages.ts";
import { requireValidParams, type Envelope } from "./a2a-request.ts";
import { addressFor } from "./discovery.ts";
import { idOf, INTERNAL_ERROR, INTERNAL_MESSAGE } from "./json-rpc.ts";
import { runTool, type AdmittedCall, type ToolOutcome } from "./tool-calls.ts";

/**
 * One message during its processing by the SDK. `asked`: its tool; `sender`: whose token came with
 * what needs none; `owner`: whose tasks it lists; `failure`: the tool's error, which is answered in place
 * of a task.
 */
export type A2aCall = {
  asked: { name: string; args: unknown; admitted: AdmittedCall | null } | null;
  record: TaskRecord | null;
  sender?: Person | null;
  owner?: TaskOwner | null;
  accessed: NoteAccess;
  failure?: unknown;
};

const LEGACY = "0.3";

/** Without the header the spelling of the method decides: `message/send` is 0.3, `SendMessage` is 1.0. */
function versionOf(request: ApiRequest, method: string): string {
  const named = request.header("a2a-version") || (method.includes("/") ? LEGACY : "1.0");
  return /^(0\.3|1\.0)\.\d+$/.exec(named)?.[1] ?? named;
}

/** The JSON-RPC answer to `message`, errors of the protocol included. */
export async function answerBySdk(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  message: Envelope,
  call: A2aCall,
): Promise<unknown> {
  const version = versionOf(request, message.method);
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
    requireValidParams(message);
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

/** Of one message: the only stored task that it reaches is the one that its caller was authorized for. */
function toStore(ctx: Ctx, tenant: Tenant, call: A2aCall): TaskStore {
  const owner = call.asked?.admitted;
  const known = call.record && Task.fromJSON(call.record.task);
  return {
    async load(id) {
      return known?.id === id ? known : undefined;
    },
    async save(task) {
      if (known && known.id !== task.id) throw new TaskNotFoundError(task.id);
      const { scope = null, ...kept } = call.record ?? { user_id: null, client_id: null };
      const person = owner?.call.person ?? (kept.user_id === null ? call.sender : null);
      call.record = {
        task: Task.toJSON(task),
        scope: owner?.tool.scope ?? scope,
        user_id: person?.account.id ?? kept.user_id,
        client_id: person?.clientId ?? kept.client_id,
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
