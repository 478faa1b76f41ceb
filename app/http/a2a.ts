// A2A over JSON-RPC, 1.0 and 0.3 (`A2A-Version`). The protocol is the SDK's; a task is one call of a tool, done before it is
// answered. Who may call is told by the HTTP status, before the SDK sees the message. docs/decisions/021-agent-protocols.md
import { AgentCard, Task } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
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
import type { Ctx } from "../context.server.ts";
import { buildAgentCard } from "../domain/agents/agent-card.ts";
import { readSkillRequest } from "../domain/agents/skills.ts";
import { findTask, keepTask, type TaskRecord } from "../domain/agents/tasks.ts";
import { findTool } from "../domain/agents/tools/index.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { toTask } from "./a2a-messages.ts";
import {
  admitCall,
  requireOwnName,
  requireShopper,
  runTool,
  type AdmittedCall,
  type ToolOutcome,
} from "./agent-calls.ts";
import { countAgentCall } from "./agent-limits.ts";
import { addressFor } from "./discovery.ts";
import type { Inbound } from "./inbound.ts";
import { idOf, toRpcRefusal } from "./json-rpc.ts";
import { json, type Reply } from "./reply.ts";

const Envelope = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
const Params = z.looseObject({
  id: z.string().optional(),
  message: z
    .looseObject({
      messageId: z.string().max(255).optional(),
      role: z.union([z.string(), z.number()]).optional(),
      taskId: z.string().optional(),
      parts: z.array(z.looseObject({ data: z.unknown().optional() })).optional(),
    })
    .optional(),
});

/** One message on its way through the SDK. `asked`: the tool that it is about; `failure`: what that threw, for the HTTP status to tell. */
type Passage = {
  asked: { name: string; args: unknown; admitted: AdmittedCall | null } | null;
  record: TaskRecord | null;
  failure?: unknown;
};

export async function answerA2a(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  body: unknown,
): Promise<Reply> {
  try {
    requireOwnName(ctx, inbound, tenant);
    await countAgentCall(ctx, inbound, tenant);
    const message = Envelope.safeParse(body);
    if (!message.success)
      throw new AppError("malformed_request", { message: "Send one JSON-RPC 2.0 message." });
    const passage = await readPassage(ctx, inbound, tenant, message.data.params);
    const answer = await dispatch(ctx, inbound, tenant, message.data, passage);
    if (passage.failure) throw passage.failure;
    return json(200, answer);
  } catch (error) {
    return toRpcRefusal(error, idOf(body));
  }
}

/** What is asked, and whether the caller may: throws before anything is done. */
async function readPassage(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  given: unknown,
): Promise<Passage> {
  const params = Params.safeParse(given ?? {}).data ?? {};
  const taskId = params.message?.taskId || params.id;
  const record = taskId ? await findTask(ctx, tenant, taskId) : null;
  if (record?.scope) {
    const { person } = await requireShopper(ctx, inbound, tenant, record.scope);
    // Somebody else's is as if it were not there.
    if (person.account.id !== record.user_id) return { asked: null, record: null };
  }
  const request = params.message?.parts
    ?.map(({ data }) => readSkillRequest(data))
    .find((found) => found !== null);
  const tool = request ? findTool(request.tool) : null;
  if (!request || !tool) return { asked: null, record };
  // The same message sent twice is one request (UCP "Request Idempotency").
  const args = withKey(request.args, params.message?.messageId);
  const admitted = await admitCall(ctx, inbound, tenant, tool, args);
  return {
    asked: {
      name: tool.name,
      args,
      admitted: tool.isOffered(admitted.call.tenant) ? admitted : null,
    },
    record,
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
  inbound: Inbound,
  tenant: Tenant,
  message: z.output<typeof Envelope>,
  passage: Passage,
): Promise<unknown> {
  // Without the header the way the method is written tells: `message/send` is 0.3, `SendMessage` is 1.0.
  const named = inbound.header("a2a-version") || (message.method.includes("/") ? LEGACY : "1.0");
  const version = /^(0\.3|1\.0)\.\d+$/.exec(named)?.[1] ?? named;
  const isLegacy = version === LEGACY;
  const card = AgentCard.fromJSON(
    buildAgentCard(tenant, addressFor(ctx, inbound, tenant), undefined),
  );
  const handler = new DefaultRequestHandler(
    card,
    toStore(ctx, tenant, passage),
    toExecutor(ctx, passage),
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
  try {
    validateVersion(version, card, "JSONRPC");
    requireWhole(message.params);
    const answer = await protocol.handle(
      message,
      new ServerCallContext({ requestedVersion: version }),
    );
    // What would come in pieces is refused by its first piece: the card offers no streaming.
    return Symbol.asyncIterator in answer
      ? (await answer[Symbol.asyncIterator]().next()).value
      : answer;
  } catch (error) {
    return toError(error);
  }
}

/** A message is somebody's and holds at least one part (A2A "Message"): the SDK does not look. */
function requireWhole(params: unknown): void {
  const message = Params.safeParse(params ?? {}).data?.message;
  if (message && !message.role) throw new RequestMalformedError("message.role is required.");
  if (message?.parts?.length === 0)
    throw new RequestMalformedError("message.parts must hold at least one part.");
}

function toStore(ctx: Ctx, tenant: Tenant, passage: Passage): TaskStore {
  const owner = passage.asked?.admitted;
  return {
    async load() {
      return passage.record ? Task.fromJSON(passage.record.task) : undefined;
    },
    async save(task) {
      const { scope = null, user_id: userId = null } = passage.record ?? {};
      passage.record = {
        task: Task.toJSON(task),
        scope: owner?.tool.scope ?? scope,
        user_id: owner?.call.person?.account.id ?? userId,
      };
      await keepTask(ctx, tenant, task.id, passage.record);
    },
    async list() {
      throw new UnsupportedOperationError("This agent keeps no list of tasks.");
    },
  };
}

function toExecutor(ctx: Ctx, passage: Passage): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const { asked } = passage;
      const outcome: ToolOutcome = asked?.admitted
        ? await runTool(asked.admitted, asked.args).catch((error: unknown) => {
            passage.failure = error;
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
    // Nothing runs any more when its task can be named.
    async cancelTask() {},
  };
}
