import { startInstall } from "../http/install-journey.ts";
import { endpoint } from "../http/endpoint.ts";
import { INSTALL } from "../http/rate-limit.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Starts the install of the app in a store.",
    auth: "none",
    tenant: "named",
    rateLimit: INSTALL,
    answers: { 302: "To the store's own question whether to install." },
    handle: ({ ctx, request, shop }) => startInstall(ctx, request, shop),
  },
});
