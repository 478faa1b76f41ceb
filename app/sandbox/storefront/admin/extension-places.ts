/** The app's UI extensions in the simulated admin: where they stand, their language, and their tokens. */
import { text, type ApiResponse, type Call } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import { isSameSiteOrProgram } from "../../loopback-guard.ts";
import { extensionName, findUiExtension } from "../../ui-extensions/declared-extensions.ts";
import { extensionFrame } from "../../ui-extensions/extension-frame.ts";
import { mintSessionToken } from "../session-token.ts";
import type { ShopState } from "../state.ts";
import type { AppCredentials } from "../tokens.ts";
import { adminPath, type AdminApp } from "./admin-layout.ts";

export const BLOCK_TARGET = "admin.customer-details.block.render";
export const ACTION_TARGET = "admin.customer-segment-details.action.render";

/** A staff member's own language; these pages are in English only. */
const LANGUAGES = { en: "English", es: "Español", fr: "Français" } as const;
export type StaffLocale = keyof typeof LANGUAGES;

export const staffLocale = (query: URLSearchParams): StaffLocale => {
  const asked = query.get("locale") ?? "";
  return asked in LANGUAGES ? (asked as StaffLocale) : "en";
};

export const localeQuery = (locale: StaffLocale): string =>
  locale === "en" ? "" : `?locale=${locale}`;

/** `id`: what the page shows. null where the app has no extension for the target, or it is not built. */
export function adminExtension(
  shop: ShopState,
  app: AdminApp,
  { target, id, locale, path }: { target: string; id: string; locale: StaffLocale; path: string },
): Html | null {
  return extensionFrame({
    surface: "admin",
    target,
    appUrl: app.url,
    locale,
    currency: shop.currencyCode,
    selected: [{ id }],
    url: path,
    tokenUrl: adminPath(shop, "/session-token"),
  });
}

export function nameOfExtension(target: string, locale: StaffLocale): string | null {
  const extension = findUiExtension(target);
  return extension ? extensionName(extension, locale) : null;
}

export function languageLinks(path: string, current: StaffLocale): Html {
  return html`<p class="quiet languages">
    Language of the app's extensions:
    ${(Object.keys(LANGUAGES) as StaffLocale[]).map(
      (locale) =>
        html`<a
          href="${path}${localeQuery(locale)}"
          lang="${locale}"
          ${trusted(locale === current ? ' aria-current="true"' : "")}
          >${LANGUAGES[locale]}</a
        >`,
    )}
  </p>`;
}

/** For the page around an extension: the token of the staff member who is signed in. */
export async function staffToken(
  shop: ShopState,
  app: AppCredentials,
  call: Call,
): Promise<ApiResponse> {
  if (!isSameSiteOrProgram(call.headers))
    return text(403, "Session tokens are issued to the admin's own pages only");
  return text(200, await mintSessionToken(shop.domain, app), { "cache-control": "no-store" });
}
