// Storage keys of the embeds. On the service's own origin, which all stores share, each key ends in
// `:{shop}`.
/** localStorage: `{tos, privacy, cookie, marketing, version, at}`; the flags are booleans. */
export const CONSENT_KEY = "crm_consent";
/** localStorage: a random id that identifies no person. */
export const VISITOR_KEY = "crm_visitor";
/** localStorage: requests that are not yet sent. */
export const OUTBOX_KEY = "crm_outbox";
/**
 * sessionStorage: the session token, where a sign-in returned it through the address's fragment.
 */
export const SESSION_KEY = "crm_session";
