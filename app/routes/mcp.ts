import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { toRpcErrorBody } from "../http/agents/json-rpc.ts";
import { answerMcp } from "../http/agents/mcp.ts";
import { RpcResponse } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "One MCP message over streamable HTTP: the tools of UCP and ours. The catalog is open; what is a shopper's needs that shopper's word.",
    auth: "none",
    tenant: "registered",
    allowsCachedTenant: true,
    body: z.unknown().meta({
      examples: [
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "search_catalog",
            arguments: { catalog: { query: "mug" } },
          },
        },
      ],
    }),
    answers: {
      200: "The JSON-RPC answer; as the last of an event stream when progress was asked for and the store is slow.",
      202: "A notification was taken.",
      401: "The tool needs an access token, or the token that came along is not valid.",
      403: "The shopper has not allowed it.",
      429: "Too many calls; `Retry-After` says when to go on.",
    },
    errorBody: (error, { events }) => toRpcErrorBody(error, events?.answersTo ?? null),
    result: { 200: RpcResponse, 202: null },
    handle: ({ ctx, request, tenant, body, accessed }) =>
      answerMcp(ctx, request, tenant, body, accessed),
  },
});
