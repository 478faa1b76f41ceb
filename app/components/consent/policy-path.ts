type Place = { version: string; locale: string; against?: string };

/** The page of one version; versions are the merchant's own words, so they are in the query. */
export const policyPath = ({ version, locale, against }: Place): string =>
  `/app/consent/policies/text?${new URLSearchParams({ version, locale, ...(against && { against }) })}`;
