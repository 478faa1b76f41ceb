import { z } from "zod";
import { answerA2a } from "../http/agents/a2a.ts";
import { endpoint } from "../http/endpoint.ts";
import { toRpcErrorBody } from "../http/agents/json-rpc.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "One A2A message over JSON-RPC, 1.0 or 0.3 by `A2A-Version`: a data part names a skill or a tool of /mcp, and its arguments.",
    auth: "none",
    tenant: "registered",
    body: z.unknown(),
    answers: {
      200: "The JSON-RPC answer.",
      401: "The skill needs an access token.",
      403: "The shopper has not allowed it.",
      429: "Too many calls; `Retry-After` says when to go on.",
    },
    errorBody: (error) => toRpcErrorBody(error),
    handle: ({ ctx, request, tenant, body, accessed }) =>
      answerA2a(ctx, request, tenant, body, accessed),
  },
});
