// MCP over streamable HTTP, without sessions: every message is one POST and one JSON response, or a
// stream that ends with it (mcp-progress.ts). The SDK implements the protocol, 2026-07-28 and the versions with an `initialize`
// request. Authorization errors are HTTP statuses, sent before the SDK reads the message, as MCP's
// authorization requires. docs/decisions/021-agent-protocols.md
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { isAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import type { PublicAddress } from "../../domain/agents/public-address.ts";
import { findTool } from "../../domain/agents/tools/index.ts";
import type { AgentTool } from "../../domain/agents/tools/tool.ts";
import { getTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import type { NoteAccess } from "../access/served-access.ts";
import {
  authorizeToolCall,
  findConsentingShopper,
  requireOwnName,
  runTool,
  type AdmittedCall,
} from "./tool-calls.ts";
import { countAgentCall } from "./agent-limits.ts";
import { addressFor } from "./discovery.ts";
import { withProgress } from "./mcp-progress.ts";
import { requireFewValues } from "./message-size.ts";
import { newMcpServer } from "./mcp-server.ts";
import { bearerToken } from "../auth/guards.ts";
import type { ApiRequest } from "../api-request.ts";
import {
  idOf,
  INTERNAL_ERROR,
  INTERNAL_MESSAGE,
  INVALID_PARAMS,
  toRpcRefusal,
  wrongParameter,
} from "./json-rpc.ts";
import { empty, json, plain, type ApiResponse } from "../api-response.ts";

const METHOD_NOT_FOUND = -32_601;

const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
const Meta = z.looseObject({}).optional();
const CallParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
  _meta: Meta,
});
const ListParams = z.looseObject({ cursor: z.string().optional(), _meta: Meta });

/** The SDK answers wrong parameters with an internal error. */
const PARAMS: Record<string, z.ZodType> = {
  initialize: z.looseObject({
    protocolVersion: z.string(),
    capabilities: z.looseObject({}).optional(),
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }).optional(),
    _meta: Meta,
  }),
  "tools/list": ListParams,
  "resources/list": ListParams,
  "resources/templates/list": ListParams,
  "prompts/list": ListParams,
  "tools/call": CallParams,
  "resources/read": z.looseObject({ uri: z.string(), _meta: Meta }),
  "prompts/get": z.looseObject({
    name: z.string(),
    arguments: z.record(z.string(), z.string()).optional(),
    _meta: Meta,
  }),
};

/**
 * One message during its processing by the SDK. `failure`: the tool's error, which sets the HTTP
 * status.
 */
type McpCall = {
  tenant: Tenant;
  address: PublicAddress;
  admitted: AdmittedCall | null;
  accessed: NoteAccess;
  failure?: unknown;
};

// One server per message, bound to the tenant and the caller of that message.
function newServer(call: McpCall): Server {
  const server = newMcpServer(call.tenant, call.address);
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { admitted } = call;
    if (!admitted)
      throw new ProtocolError(
        INVALID_PARAMS,
        findTool(params.name) ? "This store does not offer this tool." : "There is no such tool.",
      );
    const outcome = await runTool(admitted, params.arguments, call.accessed).catch(
      (error: unknown) => {
        call.failure = error;
        throw error;
      },
    );
    if (outcome.kind === "invalid") throw new ProtocolError(INVALID_PARAMS, outcome.message);
    // UCP's outcome is in its own `ucp.status`.
    return {
      content: [{ type: "text", text: JSON.stringify(outcome.answer) }],
      structuredContent: outcome.answer,
      isError: outcome.kind === "failed" && admitted.tool.ucp.length === 0,
    };
  });
  return server;
}

const modern = createMcpHandler(({ authInfo }) => newServer(authInfo?.extra?.call as McpCall), {
  legacy: "reject",
});

/**
 * Passed to the SDK in the message's protocol version. Older clients would receive an event stream
 * without this JSON mode.
 */
async function forward(request: Request, message: object, call: McpCall): Promise<Response> {
  if (!(await isLegacyRequest(request, message)))
    return modern.fetch(request, {
      parsedBody: message,
      authInfo: { token: "", clientId: "", scopes: [], extra: { call } },
    });
  const [server, transport] = [
    newServer(call),
    new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }),
  ];
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/**
 * `cachedTenant`: the read of a shopper's session also checks whether the cached tenant is current;
 * for any other call the current one is read first.
 */
export async function answerMcp(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant,
  body: unknown,
  accessed: NoteAccess,
): Promise<ApiResponse> {
  try {
    await countAgentCall(ctx, request, cachedTenant);
    const message = Message.safeParse(body);
    if (!message.success)
      throw new AppError("malformed_request", { message: "Send one JSON-RPC 2.0 message." });
    requireFewValues(message.data);
    const problem = await findParameterProblem(request, message.data);
    if (problem !== null) return refuse(body, INVALID_PARAMS, problem);
    const toolRequest = readToolRequest(message.data);
    const tool = toolRequest ? findTool(toolRequest.name) : null;
    const tenant = readsSession(request, tool)
      ? cachedTenant
      : await getTenant(ctx, cachedTenant.shop);
    if (!tool?.scope) await findConsentingShopper(ctx, request, tenant);
    const asked = tool
      ? await authorizeToolCall(ctx, request, tenant, tool, toolRequest?.arguments)
      : null;
    requireOwnName(ctx, request, asked?.call.tenant ?? tenant);
    // A stream of changes would never end, and our tools do not change.
    if (message.data.method === "subscriptions/listen")
      return refuse(body, METHOD_NOT_FOUND, "Subscriptions are not supported.");
    const call: McpCall = {
      tenant,
      address: addressFor(ctx, request, tenant),
      admitted: asked?.tool.isOffered(asked.call.tenant) ? asked : null,
      accessed,
    };
    const send = () => forward(toRequest(request), toKnownMessage(message.data), call);
    const response = asked ? await withProgress(request, body, send) : await send();
    if (call.failure) throw call.failure;
    return await toApiResponse(ctx, response, body);
  } catch (error) {
    return toRpcRefusal(error, idOf(body));
  }
}

/** Undefined for another method, and for parameters that are none of a tool's call. */
function readToolRequest({ method, params }: z.output<typeof Message>) {
  return method === "tools/call" ? CallParams.safeParse(params).data : undefined;
}

/** Whether the call is authorized by a shopper's session, which is read from the database. */
function readsSession(request: ApiRequest, tool: AgentTool | null): boolean {
  const token = bearerToken(request);
  return Boolean(tool?.scope && token && !isAgentToken(token));
}

/** Null for a method that is not known here: the SDK answers it. */
async function findParameterProblem(
  request: ApiRequest,
  message: z.output<typeof Message>,
): Promise<string | null> {
  const { method = "", params = {} } = message;
  const schema = Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined;
  const error = schema?.safeParse(params).error;
  if (!error) return null;
  // Newer versions of the protocol have no `initialize`: the SDK answers that, also when the parameters are wrong.
  const isOfVersion =
    method !== "initialize" || (await isLegacyRequest(toRequest(request), toKnownMessage(message)));
  return isOfVersion ? wrongParameter(error) : null;
}

const refuse = (body: unknown, code: number, message: string): ApiResponse =>
  json(200, { jsonrpc: "2.0", id: idOf(body), error: { code, message } });

/** Of `initialize` only what is used: it may omit the rest. And a call's arguments may be null. */
function toKnownMessage(message: z.output<typeof Message>): object {
  if (message.method === "tools/call" && message.params?.["arguments"] === null)
    return { ...message, params: { ...message.params, arguments: undefined } };
  if (message.method !== "initialize") return message;
  return {
    ...message,
    params: { ...message.params, capabilities: {}, clientInfo: { name: "unknown", version: "0" } },
  };
}

const Failure = z.object({
  error: z.object({ code: z.literal(INTERNAL_ERROR), message: z.string() }),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const PASSED_ON = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/** Accepts clients that accept JSON only, because the response is JSON. */
function toRequest(request: ApiRequest): Request {
  const headers = new Headers({
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  });
  for (const name of PASSED_ON) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request("http://internal/mcp", { method: "POST", headers });
}

async function toApiResponse(ctx: Ctx, response: Response, body: unknown): Promise<ApiResponse> {
  const text = await response.text();
  if (text.includes(`"code":${INTERNAL_ERROR}`)) {
    const reason = Failure.safeParse(parseJson(text)).data?.error.message;
    if (reason !== undefined) {
      ctx.log.error("agent.mcp_failed", reason);
      return refuse(body, INTERNAL_ERROR, INTERNAL_MESSAGE);
    }
  }
  return text === ""
    ? empty(response.status)
    : plain(response.status, "application/json; charset=utf-8", text, {
        "Cache-Control": "no-store",
      });
}
