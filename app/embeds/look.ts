// The look that the embeds share. They stand in themes that we do not know: everything hangs on one root element, sizes
// follow the reader's own, and colours follow the theme where it names them (`--crm-*` on any element above).
export const ROOT_CLASS = "crm";

/** Custom properties, light and dark; forced colours are the browser's own. Text on ground is 7:1 and more, lines 3:1. */
export const TOKENS = `.crm{--ground:var(--crm-ground,#fff);--text:var(--crm-text,#1a1c1d);--quiet:var(--crm-quiet,#505459);--line:var(--crm-line,#6b7075);--strong:var(--crm-strong,#1a1c1d);--on-strong:var(--crm-on-strong,#fff);--focus:var(--crm-focus,#0b57d0);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
@media(prefers-color-scheme:dark){.crm-auto{--ground:#1a1c1d;--text:#f3f4f5;--quiet:#c3c7cc;--line:#8f959c;--strong:#f3f4f5;--on-strong:#1a1c1d;--focus:#8ab4ff}}`;

/** Under which names the embeds keep things in the browser, on the store's own origin. */
export const BROWSER_KEYS = {
  /** localStorage: `{tos, privacy, cookie, marketing, version, at}`; the flags are booleans. */
  consent: "crm_consent",
  /** localStorage: random, names nobody. */
  visitor: "crm_visitor",
  /** sessionStorage: the session token as text, where a sign-in handed it over in the address's fragment. */
  session: "crm_session",
  /** localStorage: what could not be sent yet. */
  outbox: "crm_outbox",
} as const;
