/** One request of a shopper: the store, the language, who is signed in, and what the theme editor previews. */
import type { Call } from "../../exchange.ts";
import type { Customer, ShopState } from "../state.ts";
import { customerIdOf } from "../customers.ts";
import { readCookie, writeCookie } from "./cookie.ts";
import { visitorOf, type SimulatedVisitor } from "./customer-privacy.ts";
import { readCart, type CartLine } from "./cart.ts";
import { STORE_LOCALES, STORE_TEXTS, type StoreLocale, type StoreTexts } from "./store-texts.ts";

/** Parameters of a simulated visitor, which links keep. */
const SIMULATION = ["region", "privacy"];
const VISIT_COOKIE = "sandbox_visit";

export type Visit = {
  shop: ShopState;
  /** Below the store: `/products/camp-lantern`. */
  path: string;
  locale: StoreLocale;
  t: StoreTexts;
  customerId: string;
  customer: Customer | undefined;
  cart: CartLine[];
  /** Where the browser is, and what is wrong with the store's privacy API. */
  visitor: Pick<SimulatedVisitor, "region" | "trouble">;
  /** In the theme editor: the block that is not saved yet, or "". */
  preview: string | null;
  /** An address of this store that keeps the language and the preview. */
  link(path: string, query?: Record<string, string>): string;
};

/** The store that this browser visits, and the customer signed in there. */
export function visitOf(call: Call): { shop: string; customerId: string } {
  const { domain = "", value = "" } = readCookie(call, VISIT_COOKIE) ?? {};
  return { shop: domain, customerId: /^\d*$/.test(value) ? value : "" };
}

export const visitCookie = ({ shop, customerId }: Visit): string =>
  writeCookie(VISIT_COOKIE, shop.domain, customerId);

export function readVisit(shop: ShopState, path: string, call: Call): Visit {
  const locale = STORE_LOCALES.find((known) => known === call.query.get("locale")) ?? "en";
  const preview = call.query.get("design");
  const remembered = visitOf(call);
  const simulation = Object.fromEntries(
    SIMULATION.flatMap((name) => {
      const value = call.query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const customerId =
    remembered.shop === shop.domain && !call.query.has("customer")
      ? remembered.customerId
      : (/^\d+$/.exec(call.query.get("customer") ?? "")?.[0] ?? "");
  return {
    shop,
    path,
    locale,
    t: STORE_TEXTS[locale],
    customerId,
    customer: Object.values(shop.customers).find(({ gid }) => customerIdOf(gid) === customerId),
    cart: readCart(shop, call),
    visitor: visitorOf(call.query),
    preview,
    link(to, query = {}) {
      const asked = new URLSearchParams({
        ...query,
        ...simulation,
        ...(locale !== "en" && { locale }),
        ...(preview !== null && { design: preview }),
      });
      const suffix = asked.size > 0 ? `?${asked}` : "";
      return `/store/${shop.domain}${to === "/" ? "" : to}${suffix}`;
    },
  };
}

export const moneyOf = ({ shop, locale }: Pick<Visit, "shop" | "locale">, amount: number): string =>
  new Intl.NumberFormat(locale, { style: "currency", currency: shop.currencyCode }).format(amount);
