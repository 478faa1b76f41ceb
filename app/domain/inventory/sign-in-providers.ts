// The ways a customer signs in, by the words of the column `provider`.

const OIDC_PROVIDER_NAMES = ["federated", "storefront"] as const;
export type OidcProviderName = (typeof OIDC_PROVIDER_NAMES)[number];

/** `email`: with a password. */
export const ACCOUNT_PROVIDERS = ["email", ...OIDC_PROVIDER_NAMES] as const;
