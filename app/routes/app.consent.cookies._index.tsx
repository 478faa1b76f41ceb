// The list of cookies that shoppers read: from the last check of the storefront, and the merchant's changes.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { CookiesScreen } from "../components/consent/cookies/cookies-screen.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { readCookieList } from "../domain/cookie-list/cookie-list.ts";
import {
  HiddenCookie,
  hideCookie,
  NamedCookie,
  resetCookie,
  saveCookie,
  SavedCookie,
} from "../domain/cookie-list/edit-cookies.ts";
import { themeEditorPaths } from "../domain/tenants/storefront/theme-links.ts";
import { lookOf } from "../embeds/public-config.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent", "cookie-list", "cookie-uses"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const { shop, app } = tenant;
  return {
    ...(await readCookieList(ctx, tenant)),
    brand: lookOf(tenant).brand,
    pageUrl: `${ctx.baseUrl}/embed/cookies?${new URLSearchParams({ shop })}`,
    blockUrl: ctx.storefront.adminUrl(shop, themeEditorPaths(app.clientId).cookies),
  };
}

export const action = defineActions({
  save: { input: SavedCookie, run: ({ ctx, tenant }, input) => saveCookie(ctx, tenant, input) },
  hide: { input: HiddenCookie, run: ({ ctx, tenant }, input) => hideCookie(ctx, tenant, input) },
  reset: { input: NamedCookie, run: ({ ctx, tenant }, input) => resetCookie(ctx, tenant, input) },
});

export default function Cookies() {
  return <CookiesScreen {...useLoaderData<typeof loader>()} />;
}
