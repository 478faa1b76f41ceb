import { BannerEvent } from "../domain/consent/insights/banner-event.ts";
import { countBannerEvent } from "../domain/consent/insights/count-banner-event.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import { empty, endpoint } from "../http/endpoint.ts";
import { BANNER_EVENT } from "../http/rate-limit.ts";

const MAX_BYTES = 512;

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Counts that the consent banner was shown, or how it was answered. Nothing about the visitor is kept.",
    auth: "visitor",
    tenant: "registered",
    rateLimit: BANNER_EVENT,
    proxied: { locale: LOCALE_SHAPE },
    body: BannerEvent,
    maxBytes: MAX_BYTES,
    answers: { 204: "Counted." },
    async handle({ ctx, tenant, body }) {
      await countBannerEvent(ctx, tenant, body);
      return empty(204);
    },
  },
});
