import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { answerMcp, toRpcErrorBody } from "../http/mcp.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "One MCP message over streamable HTTP: tools that read what the shopper lets an agent see.",
    auth: "none",
    tenant: "registered",
    body: z.unknown(),
    answers: { 200: "The JSON-RPC answer.", 202: "A notification was taken.", 401: "The tool needs an access token.", 403: "The shopper has not allowed it." },
    errorBody: toRpcErrorBody,
    handle: ({ ctx, inbound, tenant, body }) => answerMcp(ctx, inbound, tenant, body),
  },
});
