// The list of cookies that shoppers read: what the service and the storefront platform keep in the browser, what the
// vendors do that the last check of the storefront found, and what the merchant added, changed or hid. A merchant's
// row comes before the known one with its provider and name, whatever a later check finds.
import type { Ctx } from "../../context.server.ts";
import type { CookieEntry } from "../../db.server.ts";
import { findKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import type { StorefrontResult } from "../storefront-check/storefront-check.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { PURPOSES, type Purpose } from "../vendors/known-vendors.ts";
import {
  cookieKey,
  isKnownCookie,
  PLATFORM_COOKIES,
  serviceCookies,
  vendorCookies,
  withoutKnownCookies,
  type KnownCookie,
} from "./known-cookies.ts";

export type ListedCookie = {
  name: string;
  /** Empty for the store itself. */
  provider: string;
  purpose: Purpose;
  /** What it is for and how long it is kept: as it is known here, or in the merchant's words. */
  text:
    | ({ by: "us" } & Pick<KnownCookie, "use" | "lasts">)
    | { by: "merchant"; use: string; duration: string };
  /** `known`: there is a row without the merchant, which comes back when a change is undone. */
  origin: "known" | "own";
  isHidden: boolean;
};

export type CookieList = {
  /** By purpose, hidden ones included. */
  cookies: ListedCookie[];
  /** ISO 8601, of the last complete check of the storefront; null before the first. */
  checkedAt: string | null;
  /** Vendors that it found, whose cookies are neither known nor added under the vendor's name. */
  unknownVendors: string[];
};

export async function readCookieList(ctx: Ctx, tenant: Tenant): Promise<CookieList> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const [check, entries] = await Promise.all([
    findKey<StorefrontResult>(sql, KEYS.storefrontCheck),
    prisma.cookieEntry.findMany({ orderBy: [{ provider: "asc" }, { name: "asc" }] }),
  ]);
  const vendors = vendorsOf(tenant, check?.value ?? null);
  const rows = new Map(knownRows(tenant, vendors).map((row) => [cookieKey(row), row]));
  const changed = new Map(entries.map((entry) => [cookieKey(entry), entry]));
  const listed = [
    ...[...rows].map(([key, row]) => toListed(row, changed.get(key))),
    ...entries.filter((entry) => !rows.has(cookieKey(entry))).flatMap(fromEntry),
  ];
  return {
    cookies: PURPOSES.flatMap((one) => listed.filter(({ purpose }) => purpose === one)),
    checkedAt: check?.value.at ?? null,
    unknownVendors: withoutKnownCookies(vendors).filter(
      (vendor) => !entries.some(({ provider }) => provider.toLowerCase() === vendor.toLowerCase()),
    ),
  };
}

/** Those of the last check, also where they wait for consent, and the analytics that the service itself loads. */
function vendorsOf({ config }: Tenant, check: StorefrontResult | null): Set<string> {
  const found = (check?.scripts ?? [])
    // An unknown script's name is its app's, which anybody may choose.
    .filter(({ state }) => state !== "unknown")
    .flatMap(({ vendor }) => vendor ?? []);
  return new Set([...(config.analytics_measurement_id ? ["Google Analytics"] : []), ...found]);
}

const knownRows = ({ config }: Tenant, vendors: Iterable<string>): KnownCookie[] => [
  ...PLATFORM_COOKIES,
  ...serviceCookies(config.consent_lifetime_months),
  ...vendorCookies(vendors),
];

function toListed(row: KnownCookie, entry: CookieEntry | undefined): ListedCookie {
  const [own] = entry ? fromEntry(entry) : [];
  if (own) return own;
  const { name, provider, purpose, use, lasts } = row;
  return {
    name,
    provider,
    purpose,
    text: { by: "us", use, lasts },
    origin: "known",
    isHidden: entry?.is_hidden ?? false,
  };
}

/** Nothing for an entry that only hides a known row. */
function fromEntry(entry: CookieEntry): ListedCookie[] {
  const { name, provider, use, duration, is_hidden: isHidden } = entry;
  const purpose = PURPOSES.find((one) => one === entry.purpose);
  if (!purpose || use === null || duration === null) return [];
  return [
    {
      name,
      provider,
      purpose,
      text: { by: "merchant", use, duration },
      origin: isKnownCookie(entry) ? "known" : "own",
      isHidden,
    },
  ];
}
