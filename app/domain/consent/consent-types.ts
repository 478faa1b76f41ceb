// The consent types, once: the flag in the claims, and the name in the log (SPEC "consent_records").

/** The consents that an email address alone can decide. */
export const ADDRESS_CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing"] as const;

/** They authorize agents: only the person's own session can give them. */
export const AGENT_CONSENT_TYPES = ["a2a", "ap2"] as const;

export const CONSENT_TYPES = [...ADDRESS_CONSENT_TYPES, ...AGENT_CONSENT_TYPES] as const;

export type ConsentType = (typeof CONSENT_TYPES)[number];
export type ConsentFlags = Record<ConsentType, boolean>;

export const isAgentConsent = (type: ConsentType): boolean =>
  (AGENT_CONSENT_TYPES as readonly ConsentType[]).includes(type);

export const consentColumn = (type: ConsentType) => `consent_${type}` as const;

/** The method of the page on which a shopper changes consents. */
export const PRIVACY_PAGE = "compliance-page";

/** The method of our own link about the sale of data. */
export const SALE_OPT_OUT = "sale-opt-out";
/** The method of an objection that was made at the store. */
export const STOREFRONT_SALE_OPT_OUT = "storefront-sale-opt-out";

/**
 * How a choice about tracking is made: by a banner, ours or the store's, on the privacy page, or by the link about
 * the sale of data. Marketing by mail or SMS is decided in forms, at the sign-up and in the account.
 */
export const TRACKING_METHODS: ReadonlySet<string> = new Set([
  "banner",
  PRIVACY_PAGE,
  "storefront",
  SALE_OPT_OUT,
  STOREFRONT_SALE_OPT_OUT,
]);

/**
 * Whether a choice about marketing decides the subscription by mail and SMS at the store too.
 *
 * The privacy page asks about offers and advertising partners: who withdraws there wants no mails either, but who agrees
 * there has not asked for them. With Global Privacy Control its refusal may be the browser's, which is about the sale
 * of data.
 */
export const decidesSubscription = (decision: {
  method: string;
  action: string;
  gpc?: boolean;
}): boolean =>
  !TRACKING_METHODS.has(decision.method) ||
  (decision.method === PRIVACY_PAGE && decision.action === "revoked" && decision.gpc !== true);
