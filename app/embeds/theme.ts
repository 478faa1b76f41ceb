// The theme that the embeds share. They render inside unknown storefront themes: everything is
// below one root element, sizes follow the reader's font size, and colours follow the theme where
// it sets them (`--crm-*` on any ancestor).
/**
 * Marks the root element of an embed's page, which contains its style and scripts too: `<div class="crm
 * crm-auto" data-crm-root>`. The loader moves it to the theme's `data-crm-embed="<name>"` element.
 */
export const ROOT_MARK = "data-crm-root";

/**
 * Custom properties, light and dark; forced colours are left to the browser. Contrast of text on
 * ground is at least 7:1, of lines 3:1.
 */
export const TOKENS = `.crm{--ground:var(--crm-ground,#fff);--text:var(--crm-text,#1a1c1d);--quiet:var(--crm-quiet,#505459);--line:var(--crm-line,#6b7075);--strong:var(--crm-strong,#1a1c1d);--on-strong:var(--crm-on-strong,#fff);--focus:var(--crm-focus,#0b57d0);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
@media(prefers-color-scheme:dark){.crm-auto{--ground:#1a1c1d;--text:#f3f4f5;--quiet:#c3c7cc;--line:#8f959c;--strong:#f3f4f5;--on-strong:#1a1c1d;--focus:#8ab4ff}}`;

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
