import { ClientMetadata, registerClient } from "../domain/agents/clients.ts";
import { clientAddress } from "../http/client-address.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { toOAuthError } from "../http/oauth.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Registers an agent as a public client (RFC 7591).",
    auth: "none",
    tenant: "registered",
    body: ClientMetadata,
    maxBytes: 16 * 1024,
    answers: {
      201: "The client, with its `client_id`.",
      400: "`invalid_redirect_uri` or `invalid_client_metadata`.",
      429: "Too many registrations from this address.",
    },
    errorBody: toOAuthError,
    handle: async ({ ctx, inbound, tenant, body }) =>
      json(
        201,
        await registerClient(
          ctx,
          tenant,
          clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
          body,
        ),
      ),
  },
});
