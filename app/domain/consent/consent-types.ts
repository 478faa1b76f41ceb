// The consents a person can give, once: the flag on the claims, and its name in the log (SPEC "consent_records").
export const CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing", "a2a", "ap2"] as const;

/** What an e-mail address alone can say. The others let agents act, and take the person's own session. */
export const ADDRESS_CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing"] as const;

export type ConsentType = (typeof CONSENT_TYPES)[number];
export type ConsentFlags = Record<ConsentType, boolean>;

export const consentColumn = (type: ConsentType) => `consent_${type}` as const;
