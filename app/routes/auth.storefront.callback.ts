import { endpoint } from "../http/endpoint.ts";
import { finishSignIn } from "../http/shopper/oidc-redirects.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The person comes back from the storefront.",
    auth: "none",
    tenant: "none",
    answers: {
      302: "Back to the store: with the session cookie, or with `?error=`.",
      400: "A page: the state of the sign-in is unknown, so the store is too.",
    },
    result: { 400: "text/html" },
    handle: ({ ctx, request }) => finishSignIn(ctx, request, "storefront"),
  },
});
