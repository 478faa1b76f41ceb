import { answerAuthorizeForm, showAuthorizePage } from "../http/agents/authorize-page-handlers.ts";
import { endpoint } from "../http/endpoint.ts";
import { refuseJson, toOAuthError } from "../http/agents/oauth.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The page on which a shopper decides about an agent; first the sign-in, where nobody is signed in.",
    auth: "none",
    tenant: "registered",
    answers: {
      200: "The page.",
      302: "Back to the agent with an error.",
      400: "A page: the agent or its address is not known.",
    },
    errorBody: toOAuthError,
    result: "text/html",
    handle: ({ ctx, request, tenant }) => showAuthorizePage(ctx, request, tenant),
  },
  POST: {
    summary: "The shopper's answer, from that page alone.",
    auth: "none",
    tenant: "registered",
    maxBytes: 16 * 1024,
    answers: {
      200: "The page again: the shopper must sign in, or changed the language.",
      302: "Back to the agent with `code`, or with an error.",
      403: "A page: the form came from elsewhere, or the agent changed since.",
      429: "A page: too many sign-ins, or too many approvals of the shopper.",
    },
    result: "text/html",
    errorBody: toOAuthError,
    handle: refuseJson,
    handleForm: ({ ctx, request, tenant, body }) => answerAuthorizeForm(ctx, request, tenant, body),
  },
});
