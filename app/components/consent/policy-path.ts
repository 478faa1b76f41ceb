type Place = { version: string; locale: string; against?: string };

/**
 * The page of one version; versions are the merchant's own words, so they are in the query. The policy's
 * language is not named `locale`: the store admin puts its own language into that parameter.
 */
export const policyPath = ({ version, locale, against }: Place): string =>
  `/app/consent/policies/text?${new URLSearchParams({ version, language: locale, ...(against && { against }) })}`;
