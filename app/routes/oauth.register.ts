import { ClientMetadata, registerClient } from "../domain/agents/oauth/clients.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { CLIENT_REGISTRATION } from "../http/rate-limit.ts";
import { toOAuthError } from "../http/agents/oauth.ts";
import { AgentClient } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Registers an agent as a public client (RFC 7591).",
    auth: "none",
    tenant: "registered",
    rateLimit: CLIENT_REGISTRATION,
    body: ClientMetadata,
    maxBytes: 16 * 1024,
    answers: {
      201: "The client, with its `client_id`.",
      400: "`invalid_redirect_uri` or `invalid_client_metadata`.",
      429: "Too many registrations from this address.",
    },
    errorBody: toOAuthError,
    result: AgentClient,
    handle: async ({ ctx, tenant, body }) => json(201, await registerClient(ctx, tenant, body)),
  },
});
