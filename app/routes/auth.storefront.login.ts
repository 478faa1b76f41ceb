import { endpoint } from "../http/endpoint.ts";
import { SIGN_IN_ELSEWHERE } from "../http/rate-limit.ts";
import { startSignIn } from "../http/shopper/oidc-redirects.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Sends the person to sign in at the storefront, with PKCE.",
    auth: "none",
    tenant: "registered",
    rateLimit: SIGN_IN_ELSEWHERE,
    answers: { 302: "To the provider, or back with `?error=`." },
    handle: ({ ctx, request, tenant }) => startSignIn(ctx, request, tenant, "storefront"),
  },
});
