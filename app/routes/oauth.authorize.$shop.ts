import { toPageRequest } from "../http/agents/authorize-by-path.ts";
import { answerAuthorizeForm, showAuthorizePage } from "../http/agents/authorize-page-handlers.ts";
import { refuseJson, toOAuthError } from "../http/agents/oauth.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The same page for the issuer that has the store as its path.",
    auth: "none",
    tenant: "none",
    answers: {
      200: "The page.",
      302: "Back to the agent with an error.",
      400: "A page: the agent or its address is not known.",
    },
    errorBody: toOAuthError,
    result: "text/html",
    async handle({ ctx, request, params }) {
      const page = await toPageRequest(ctx, request, params.shop);
      return showAuthorizePage(ctx, page.request, page.tenant);
    },
  },
  POST: {
    summary: "The shopper's answer, from that page alone.",
    auth: "none",
    tenant: "none",
    maxBytes: 16 * 1024,
    answers: {
      200: "The page again: the shopper must sign in, or changed the language.",
      302: "Back to the agent with `code`, or with an error.",
      403: "A page: the form came from elsewhere, or the agent changed since.",
      429: "A page: too many sign-ins, or too many approvals of the shopper.",
    },
    errorBody: toOAuthError,
    result: "text/html",
    handle: refuseJson,
    async handleForm({ ctx, request, params, body }) {
      const page = await toPageRequest(ctx, request, params.shop);
      return answerAuthorizeForm(ctx, page.request, page.tenant, body);
    },
  },
});
