// The values of a store that its loader needs. They are public: every shopper receives them, in the script
// from the service or in the page of the theme. New values are added at the end: the theme's script and the
// values are published at different times.
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
  regions?: RegionValues,
];

type PublicValues = {
  shop: string;
  /** The service's own origin. */
  serviceUrl: string;
  consentMode: "basic" | "advanced";
  measurementId: string | null;
  policyVersion: string | null;
  regions: ConsentRegions | null;
};

export function toLoaderValues(config: PublicValues): LoaderValues {
  const values: LoaderValues = [
    config.shop,
    config.serviceUrl,
    config.consentMode === "basic",
    config.measurementId ?? "",
  ];
  if (config.policyVersion ?? config.regions) values.push(config.policyVersion ?? "");
  if (config.regions) values.push(toRegionValues(config.regions));
  return values;
}
