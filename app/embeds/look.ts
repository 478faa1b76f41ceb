// The look that the embeds share. They stand in themes that we do not know: everything hangs on one root element, sizes
// follow the reader's own, and colours follow the theme where it names them (`--crm-*` on any element above).
/**
 * On the one element of an embed's page that holds all of it, its style and scripts too: `<div class="crm crm-auto"
 * data-crm-root>`. The loader takes it out of the page and puts it where the theme says `data-crm-embed="<name>"`.
 */
export const ROOT_MARK = "data-crm-root";

/** Custom properties, light and dark; forced colours are the browser's own. Text on ground is 7:1 and more, lines 3:1. */
export const TOKENS = `.crm{--ground:var(--crm-ground,#fff);--text:var(--crm-text,#1a1c1d);--quiet:var(--crm-quiet,#505459);--line:var(--crm-line,#6b7075);--strong:var(--crm-strong,#1a1c1d);--on-strong:var(--crm-on-strong,#fff);--focus:var(--crm-focus,#0b57d0);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
@media(prefers-color-scheme:dark){.crm-auto{--ground:#1a1c1d;--text:#f3f4f5;--quiet:#c3c7cc;--line:#8f959c;--strong:#f3f4f5;--on-strong:#1a1c1d;--focus:#8ab4ff}}`;

// Under which names the embeds keep things in the browser. On the service's own origin, which all stores share, each name
// ends in `:{shop}`.
/** localStorage: `{tos, privacy, cookie, marketing, version, at}`; the flags are booleans. */
export const CONSENT_KEY = "crm_consent";
/** localStorage: random, names nobody. */
export const VISITOR_KEY = "crm_visitor";
/** localStorage: what could not be sent yet. */
export const OUTBOX_KEY = "crm_outbox";
/** sessionStorage: the session token as text, where a sign-in handed it over in the address's fragment. */
export const SESSION_KEY = "crm_session";
