// The values of a store that its loader needs. They are public: every shopper receives them, in the script
// from the service or in the page of the theme.

/**
 * A tuple, because property names would be sent to every shopper. `tag` is empty where the store
 * has none.
 */
export type LoaderValues = [
  shop: string,
  service: string,
  isBasic: boolean,
  tag: string,
  version?: string,
];

type PublicValues = {
  shop: string;
  /** The service's own origin. */
  serviceUrl: string;
  consentMode: "basic" | "advanced";
  measurementId: string | null;
  policyVersion: string | null;
};

export function toLoaderValues(config: PublicValues): LoaderValues {
  const values: LoaderValues = [
    config.shop,
    config.serviceUrl,
    config.consentMode === "basic",
    config.measurementId ?? "",
  ];
  if (config.policyVersion) values.push(config.policyVersion);
  return values;
}
