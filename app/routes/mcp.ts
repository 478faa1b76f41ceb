import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { toRpcErrorBody } from "../http/agents/json-rpc.ts";
import { answerMcp } from "../http/agents/mcp.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "One MCP message over streamable HTTP: the tools of UCP and ours. The catalogue is open; what is a shopper's needs that shopper's word.",
    auth: "none",
    tenant: "registered",
    allowsCachedTenant: true,
    body: z.unknown(),
    answers: {
      200: "The JSON-RPC answer.",
      202: "A notification was taken.",
      401: "The tool needs an access token.",
      403: "The shopper has not allowed it.",
      429: "Too many calls; `Retry-After` says when to go on.",
    },
    errorBody: (error) => toRpcErrorBody(error),
    handle: ({ ctx, request, tenant, body, accessed }) =>
      answerMcp(ctx, request, tenant, body, accessed),
  },
});
