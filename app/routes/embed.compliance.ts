import { findPolicyHash } from "../domain/consent/policies.ts";
import { cookieTexts } from "../domain/cookie-list/cookie-texts.ts";
import { toSpokenTexts } from "../domain/tenants/banner/banner-values.ts";
import { findPublishedBanner } from "../domain/tenants/banner/published-banner.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { renderCompliance } from "../embeds/compliance/compliance.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import { embedPage } from "../http/shopper/embed-response.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The page on which a shopper decides what the store may do with their data, and reads what they may ask for.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    proxied: { locale: LOCALE_SHAPE },
    isPage: true,
    answers: {
      200: "HTML of public configuration alone.",
      304: "It is the one that If-None-Match names.",
    },
    result: "text/html",
    async handle(call) {
      const { ctx, tenant, request } = call;
      const published = await findPublishedBanner(ctx, tenant);
      const texts = toSpokenTexts(tenant, published, request.url.searchParams.get("locale"));
      const version = tenant.config.consent_policy_version ?? null;
      const { title: cookiesTitle } = cookieTexts(texts.lang);
      const { sql } = dataOf(ctx, tenant);
      const hasPolicy = (await findPolicyHash(sql, version, texts.lang)) !== null;
      return embedPage(call, (config) =>
        renderCompliance(config, texts, { hasPolicy, cookiesTitle }),
      );
    },
  },
});
