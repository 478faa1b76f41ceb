// The consent types, once: the flag in the claims, and the name in the log (SPEC "consent_records").
export const CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing", "a2a", "ap2"] as const;

/**
 * The consents that an e-mail address alone can decide. The others authorize agents and need the
 * person's session.
 */
export const ADDRESS_CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing"] as const;

export type ConsentType = (typeof CONSENT_TYPES)[number];
export type ConsentFlags = Record<ConsentType, boolean>;

export const consentColumn = (type: ConsentType) => `consent_${type}` as const;

/**
 * How a choice about tracking is made: by a banner, ours or the store's, or by the link about the sale of
 * data. Marketing by mail or SMS is decided elsewhere: in forms, at the sign-up and in the account.
 */
export const TRACKING_METHODS: ReadonlySet<string> = new Set([
  "banner",
  "compliance-page",
  "storefront",
  "sale-opt-out",
  "storefront-sale-opt-out",
]);
