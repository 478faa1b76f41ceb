// What the page tells its script, once.
import type { ShopperWords } from "../shopper-words-en.ts";

/** A customer that the storefront's proxy vouches for: what may be shown without a session. */
export type ProxiedCustomer = {
  consents: Record<string, boolean>;
  tags: { slug: string; name: string }[];
};

export type PageData = {
  page: "account" | "dashboard";
  shop: string;
  locale: string;
  termsUrl: string | null;
  privacyUrl: string | null;
  policyVersion: string | null;
  agentAccess: boolean;
  agentPayments: boolean;
  /** Before every path of the service: empty where the page is the service's own. */
  api: string;
  serviceOrigin: string;
  /** The storefront's proxy before our paths, where the page came through it. */
  proxy: string | null;
  links: {
    account: string;
    dashboard: string;
    elsewhere: { provider: "federated" | "storefront"; href: string }[];
  };
  customer: ProxiedCustomer | null;
  scopes: Record<string, string>;
  words: ShopperWords;
};

export const DATA = JSON.parse(
  document.getElementById("crm-data")?.textContent ?? "{}",
) as PageData;
export const WORDS = DATA.words;

/** A sentence with its gaps filled; what is filled in stays text, because everything is written as text. */
export const fill = (sentence: string, values: Record<string, string>): string =>
  sentence.replace(/\{(\w+)\}/g, (gap, name: string) => values[name] ?? gap);

export const when = (iso: string): string =>
  new Intl.DateTimeFormat(DATA.locale, { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(iso),
  );

export function money(amount: string, currency: string): string {
  try {
    return new Intl.NumberFormat(DATA.locale, { style: "currency", currency }).format(
      Number(amount),
    );
  } catch {
    return `${amount} ${currency}`;
  }
}
