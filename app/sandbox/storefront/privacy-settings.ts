/**
 * The store's privacy settings: consent policies per region and the platform's own banner (shopify.dev
 * `consentPolicy`, `privacySettings`, `dataSaleOptOut`). As on the platform, policies can be changed only
 * while the platform's own banner is off.
 */
import type { GraphqlContext } from "./graphql/admin-api.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState } from "./state.ts";

export type ConsentPolicy = {
  id: string;
  shopId: string;
  countryCode: string;
  regionCode: string | null;
  consentRequired: boolean;
  dataSaleOptOutRequired: boolean;
};

/** `changed`: what somebody set, by `country/region`; the rest are the platform's defaults. */
export type PrivacyState = {
  hasBanner: boolean;
  changed: Record<string, Pick<ConsentPolicy, "consentRequired" | "dataSaleOptOutRequired">>;
};

const CONSENT_BY_DEFAULT =
  "AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK";
const OTHER_COUNTRIES = "AU BR JP MX NZ ZA";
const US_STATES =
  "AK AL AR AZ CA CO CT DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY";
const SALE_BY_DEFAULT = new Set(["CA", "CO", "CT", "UT", "VA"]);
const CANADIAN_PROVINCES = "AB BC MB NB NL NS NT NU ON PE QC SK YT";

type Place = [country: string, region: string | null];
const inCountry = (country: string, regions: string): Place[] =>
  regions.split(" ").map((region) => [country, region]);
const PLACES: Place[] = [
  ...`${CONSENT_BY_DEFAULT} ${OTHER_COUNTRIES}`.split(" ").map((country): Place => [country, null]),
  ...inCountry("US", US_STATES),
  ...inCountry("CA", CANADIAN_PROVINCES),
];
const keyOf = (country: string, region: string | null) => `${country}/${region ?? ""}`;
const BY_DEFAULT = new Set(CONSENT_BY_DEFAULT.split(" "));
const REGIONAL = new Set(["US", "CA"]);

const privacyOf = (shop: ShopState): PrivacyState =>
  (shop.privacy ??= { hasBanner: true, changed: {} });

export function consentPolicies(shop: ShopState): ConsentPolicy[] {
  const { changed } = privacyOf(shop);
  return PLACES.map(([countryCode, regionCode]) => {
    const own = changed[keyOf(countryCode, regionCode)];
    const name = `${countryCode}${regionCode ? `-${regionCode}` : ""}`;
    return {
      id: `gid://shopify/ConsentPolicy/${own ? "" : "SD-"}${name}`,
      shopId: `gid://shopify/Shop/${shop.id}`,
      countryCode,
      regionCode,
      consentRequired: own?.consentRequired ?? BY_DEFAULT.has(countryCode),
      dataSaleOptOutRequired:
        own?.dataSaleOptOutRequired ??
        (countryCode === "US" && regionCode !== null && SALE_BY_DEFAULT.has(regionCode)),
    };
  });
}

type PolicyInput = {
  countryCode?: string | null;
  regionCode?: string | null;
  consentRequired?: boolean | null;
  dataSaleOptOutRequired?: boolean | null;
};
type PolicyError = { code: string; field: string[]; message: string };

function findProblem(input: PolicyInput, at: number): PolicyError | null {
  const error = (code: string, name: string, message: string) => ({
    code,
    field: ["consentPolicies", String(at), name],
    message,
  });
  const { countryCode: country, regionCode: region } = input;
  if (!country) return error("COUNTRY_CODE_REQUIRED", "countryCode", "Country code is required.");
  if (!region && REGIONAL.has(country))
    return error("REGION_CODE_REQUIRED", "regionCode", "Region code is required for this country.");
  if (region && !PLACES.some(([one, part]) => one === country && part === region))
    return error(
      "REGION_CODE_MUST_MATCH_COUNTRY_CODE",
      "regionCode",
      "Region code must match the country code.",
    );
  return PLACES.some(([one]) => one === country)
    ? null
    : error("UNSUPORTED_CONSENT_POLICY", "countryCode", "Unsupported consent policy.");
}

const READ = "read_privacy_settings";
const WRITE = "write_privacy_settings";

export const privacyResolvers = {
  consentPolicy: (
    filter: Partial<Omit<ConsentPolicy, "shopId">>,
    { shop, scope }: GraphqlContext,
  ) => {
    requireAccess(scope, "consentPolicy", READ);
    return consentPolicies(shop).filter((policy) =>
      Object.entries(filter).every(
        ([name, value]) => value === null || policy[name as keyof ConsentPolicy] === value,
      ),
    );
  },

  consentPolicyRegions: (_: unknown, { scope }: GraphqlContext) => {
    requireAccess(scope, "consentPolicyRegions", READ);
    return PLACES.map(([countryCode, regionCode]) => ({ countryCode, regionCode }));
  },

  privacySettings: (_: unknown, { shop, scope }: GraphqlContext) => {
    requireAccess(scope, "privacySettings", READ);
    const { hasBanner } = privacyOf(shop);
    return { banner: { enabled: hasBanner, autoManaged: hasBanner } };
  },

  consentPolicyUpdate: (
    { consentPolicies: inputs }: { consentPolicies: PolicyInput[] },
    context: GraphqlContext,
  ) => {
    requireAccess(context.scope, "consentPolicyUpdate", WRITE);
    const state = privacyOf(context.shop);
    const refused = (userErrors: PolicyError[]) => ({ updatedPolicies: null, userErrors });
    if (state.hasBanner)
      return refused([
        {
          code: "SHOPIFY_COOKIE_BANNER_NOT_DISABLED",
          field: ["consentPolicies"],
          message: "Shopify's cookie banner must be disabled.",
        },
      ]);
    const userErrors = inputs.flatMap((input, at) => findProblem(input, at) ?? []);
    if (userErrors.length > 0) return refused(userErrors);
    const before = new Map(consentPolicies(context.shop).map((one) => [placeOf(one), one]));
    for (const input of inputs) {
      const key = keyOf(input.countryCode as string, input.regionCode ?? null);
      const old = before.get(key) as ConsentPolicy;
      state.changed[key] = {
        consentRequired: input.consentRequired ?? old.consentRequired,
        dataSaleOptOutRequired: input.dataSaleOptOutRequired ?? old.dataSaleOptOutRequired,
      };
    }
    context.changed();
    const named = new Set(
      inputs.map((input) => keyOf(input.countryCode as string, input.regionCode ?? null)),
    );
    return {
      updatedPolicies: consentPolicies(context.shop).filter((one) => named.has(placeOf(one))),
      userErrors,
    };
  },

  privacyFeaturesDisable: (
    { featuresToDisable: features }: { featuresToDisable: string[] },
    context: GraphqlContext,
  ) => {
    requireAccess(context.scope, "privacyFeaturesDisable", WRITE);
    if (features.includes("COOKIE_BANNER")) privacyOf(context.shop).hasBanner = false;
    context.changed();
    return { featuresDisabled: features, userErrors: [] };
  },

  dataSaleOptOut: ({ email }: { email: string }, context: GraphqlContext) => {
    requireAccess(context.scope, "dataSaleOptOut", "write_customers");
    const wanted = email.trim().toLowerCase();
    if (!/^[^\s@]+@[^\s@]+$/.test(wanted))
      return {
        customerId: null,
        userErrors: [{ code: "FAILED", field: ["email"], message: "Data sale opt out failed." }],
      };
    const found = Object.values(context.shop.customers).find(
      (customer) => customer.email?.toLowerCase() === wanted,
    );
    // The platform makes a customer of an address that it does not know.
    const { gid } = context.saveCustomer(
      found ? { gid: found.gid, dataSaleOptOut: true } : { email: wanted, dataSaleOptOut: true },
    );
    return { customerId: gid, userErrors: [] };
  },
};

const placeOf = ({ countryCode, regionCode }: ConsentPolicy) => keyOf(countryCode, regionCode);
