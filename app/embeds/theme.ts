// The theme that the embeds share. They render inside unknown storefront themes: everything is
// below one root element and sizes follow the reader's font size. A colour is the theme's (`--crm-*`
// on any ancestor), else a default that follows the `color-scheme` around it: a dark device does not
// darken an embed in a light theme.

/**
 * Marks the root element of an embed's page, which contains its style and scripts too: `<div class="crm
 * crm-auto" data-crm-root>`. The loader moves it to the theme's `data-crm-embed="<name>"` element.
 */
export const ROOT_MARK = "data-crm-root";

/**
 * The custom properties of the banner and the preferences; forced colours are left to the browser.
 * Contrast of text on ground is at least 7:1, of lines 3:1.
 */
export const TOKENS = `.crm{--ground:var(--crm-ground,light-dark(#fff,#1a1c1d));--text:var(--crm-text,light-dark(#1a1c1d,#f3f4f5));--quiet:var(--crm-quiet,light-dark(#505459,#c3c7cc));--line:var(--crm-line,light-dark(#6b7075,#8f959c));--strong:var(--crm-strong,light-dark(#1a1c1d,#f3f4f5));--on-strong:var(--crm-on-strong,light-dark(#fff,#1a1c1d));--focus:var(--crm-focus,light-dark(#0b57d0,#8ab4ff));color:var(--text);font:1rem/1.5 system-ui,sans-serif}`;

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
