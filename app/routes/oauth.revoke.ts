import { z } from "zod";
import { revokeToken } from "../domain/agents/oauth/tokens.ts";
import { empty, endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { readOAuthForm, refuseJson, requireField, toOAuthError } from "../http/agents/oauth.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Revokes a token (RFC 7009): a refresh token with all that came of it. Takes a form.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    maxBytes: 16 * 1024,
    answers: { 200: "The token is dead, or never was one." },
    errorBody: toOAuthError,
    form: z.object({ token: z.string(), client_id: z.string().optional() }),
    result: null,
    handle: refuseJson,
    async handleForm({ ctx, tenant, raw }) {
      const form = readOAuthForm(raw);
      await revokeToken(ctx, tenant, requireField(form, "token"), form.get("client_id"));
      return empty(200, { "Cache-Control": "no-store" });
    },
  },
});
