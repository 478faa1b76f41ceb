import { z } from "zod";
import { answerA2a } from "../http/agents/a2a.ts";
import { endpoint } from "../http/endpoint.ts";
import { a2aErrorStatus, toRpcErrorBody } from "../http/agents/json-rpc.ts";
import { RpcResponse } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "One A2A message over JSON-RPC, 1.0 or 0.3 by `A2A-Version`: a data part names a skill or a tool of /mcp, and its arguments.",
    auth: "none",
    tenant: "registered",
    body: z.unknown().meta({
      examples: [
        {
          jsonrpc: "2.0",
          id: 1,
          method: "message/send",
          params: {
            message: {
              kind: "message",
              role: "user",
              messageId: "m-1",
              parts: [{ kind: "data", data: { skill: "product-catalog", arguments: {} } }],
            },
          },
        },
      ],
    }),
    answers: {
      200: "The JSON-RPC answer.",
      401: "The skill needs an access token, or the token that came along is not valid.",
      403: "The shopper has not allowed it.",
      429: "Too many calls; `Retry-After` says when to go on.",
    },
    errorBody: (error) => toRpcErrorBody(error, null, "a2a"),
    errorStatus: a2aErrorStatus,
    result: RpcResponse,
    handle: ({ ctx, request, tenant, body, accessed }) =>
      answerA2a(ctx, request, tenant, body, accessed),
  },
});
