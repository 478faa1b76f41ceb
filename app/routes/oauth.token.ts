import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { OAUTH_TOKEN } from "../http/rate-limit.ts";
import { answerTokenForm } from "../http/agents/oauth-token.ts";
import { refuseJson, toOAuthError } from "../http/agents/oauth.ts";
import { AccessToken } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Swaps a code, or a refresh token, for an access token (RFC 6749). Takes a form.",
    auth: "none",
    tenant: "registered",
    rateLimit: OAUTH_TOKEN,
    maxBytes: 16 * 1024,
    answers: {
      200: "`{access_token, token_type, expires_in, refresh_token, scope}`.",
      400: "`invalid_grant` and the other errors of RFC 6749 5.2.",
      429: "Too many attempts from this address.",
    },
    errorBody: toOAuthError,
    form: z.object({
      grant_type: z.enum(["authorization_code", "refresh_token"]),
      client_id: z.string(),
      code: z.string().optional(),
      code_verifier: z.string().optional(),
      redirect_uri: z.string().optional(),
      refresh_token: z.string().optional(),
      scope: z.string().optional(),
      resource: z.string().optional(),
    }),
    result: AccessToken,
    handle: refuseJson,
    handleForm: async ({ ctx, request, tenant, raw }) => {
      return json(200, await answerTokenForm(ctx, request, tenant, raw), { Pragma: "no-cache" });
    },
  },
});
