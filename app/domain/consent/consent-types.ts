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
