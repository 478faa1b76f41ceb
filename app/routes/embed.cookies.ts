import { readCookieList } from "../domain/cookie-list/cookie-list.ts";
import { cookieTexts, toSpokenCookie } from "../domain/cookie-list/cookie-texts.ts";
import { toSpokenTexts } from "../domain/tenants/banner/banner-values.ts";
import { findPublishedBanner } from "../domain/tenants/banner/published-banner.ts";
import { renderCookies } from "../embeds/compliance/cookies.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import { embedPage } from "../http/shopper/embed-response.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "What the store and its partners keep in a shopper's browser: name, provider, purpose, what for and how long.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    proxied: { locale: LOCALE_SHAPE },
    isPage: true,
    answers: {
      200: "HTML of public configuration and of what the merchant shows.",
      304: "It is the one that If-None-Match names.",
    },
    result: "text/html",
    async handle(call) {
      const { ctx, tenant, request } = call;
      const published = await findPublishedBanner(ctx, tenant);
      const spoken = toSpokenTexts(tenant, published, request.url.searchParams.get("locale"));
      const { cookies } = await readCookieList(ctx, tenant);
      const shown = cookies
        .filter(({ isHidden }) => !isHidden)
        .map((cookie) => toSpokenCookie(spoken.lang, cookie));
      const texts = cookieTexts(spoken.lang);
      return embedPage(call, (config) => renderCookies(config, shown, { spoken, texts }));
    },
  },
});
