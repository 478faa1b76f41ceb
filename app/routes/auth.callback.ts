import { finishInstall } from "../http/install-journey.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Completes the install: stores the token pair, registers the store and its webhooks.",
    auth: "none",
    tenant: "none",
    answers: { 302: "Into the app." },
    handle: ({ ctx, request }) => finishInstall(ctx, request),
  },
});
