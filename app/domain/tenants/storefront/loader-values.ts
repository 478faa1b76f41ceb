// The values of a store that its loader needs. They are public: every shopper receives them, in the script
// from the service or in the page of the theme. New values are added at the end: the theme's script and the
// values are published at different times.
import { DEFAULT_LIFETIME_MONTHS } from "../banner/consent-lifetime.ts";
import { toRegionValues, type ConsentRegions, type RegionValues } from "../consent-regions.ts";

/**
 * A tuple, because property names would be sent to every shopper. `tag` is empty where the store
 * has none.
 */
export type LoaderValues = [
  shop: string,
  service: string,
  isBasic: boolean,
  tag: string,
  /** Empty where the store has none. */
  version?: string,
  /** For the theme's block, which sets the defaults of regions; the script itself needs none. */
  regions?: RegionValues | null,
  /** How many months a choice holds, where the store has set it. */
  lifetime?: number,
];

type PublicValues = {
  shop: string;
  /** The service's own origin. */
  serviceUrl: string;
  consentMode: "basic" | "advanced";
  measurementId: string | null;
  policyVersion: string | null;
  consentMonths: number;
  regions: ConsentRegions | null;
};

export function toLoaderValues(config: PublicValues): LoaderValues {
  const { policyVersion, regions, consentMonths } = config;
  const lifetime = consentMonths === DEFAULT_LIFETIME_MONTHS ? null : consentMonths;
  const values: LoaderValues = [
    config.shop,
    config.serviceUrl,
    config.consentMode === "basic",
    config.measurementId ?? "",
  ];
  // Up to the last one that the store has.
  if (policyVersion ?? regions ?? lifetime) values.push(policyVersion ?? "");
  if (regions ?? lifetime) values.push(regions && toRegionValues(regions));
  if (lifetime) values.push(lifetime);
  return values;
}
