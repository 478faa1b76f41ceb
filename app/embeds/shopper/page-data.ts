// The data that the page passes to its script.
import type { ShopperTexts } from "../texts.ts";

/** A customer identified by the storefront's proxy: what may be shown without a session. */
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
  consentMonths: number;
  agentAccess: boolean;
  agentPayments: boolean;
  /** Prefix of every path of the service: empty on the service's own pages. */
  api: string;
  serviceOrigin: string;
  /** The path prefix of the storefront's proxy, when the page was loaded through it. */
  proxy: string | null;
  links: {
    account: string;
    dashboard: string;
    /** `name`: of its text and of its mark. */
    elsewhere: { name: "federated" | "storefront" | "google"; href: string }[];
  };
  customer: ProxiedCustomer | null;
  scopes: Record<string, string>;
  words: ShopperTexts;
};

export const DATA = JSON.parse(
  document.getElementById("crm-data")?.textContent ?? "{}",
) as PageData;
export const WORDS = DATA.words;

/**
 * Interpolates `{name}` placeholders. The values need no escaping, because the result is always set
 * as text.
 */
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
