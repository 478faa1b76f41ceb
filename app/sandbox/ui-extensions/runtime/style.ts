// One style sheet for all shadows. The surfaces differ by the properties that the frame's document sets.

const CSS = `
:host { box-sizing: border-box; min-width: 0; }
[hidden] { display: none !important; }
:host([data-hidden]) { display: none !important; }
*, *::before { box-sizing: border-box; font: inherit; letter-spacing: inherit; }
h1, h2, h3, h4, p, ul, ol { margin: 0; }
:host(s-page), :host(s-section), :host(s-banner), :host(s-box), :host(s-paragraph), :host(s-heading),
:host(s-divider), :host(s-table), :host(s-admin-block), :host(s-admin-action), :host(s-form),
:host(s-details), :host(s-text-field), :host(s-email-field), :host(s-search-field), :host(s-text-area),
:host(s-select), :host(s-checkbox), :host(s-switch), :host(s-choice-list), :host(s-choice), :host(s-grid), :host(s-stack),
:host(s-unordered-list), :host(s-ordered-list), :host(s-skeleton-paragraph), :host(s-button-group) { display: block; }
:host(s-option), :host(s-choice) { display: none; } :host(s-modal) { display: contents; }
.page { display: grid; gap: 20px; }
.page > header { display: grid; gap: 4px; }
.page h1 { font-size: 26px; line-height: 1.25; font-weight: 600; }
.subdued { color: var(--subdued); }
.section { display: grid; gap: 14px; background: var(--card); border: var(--card-border);
  border-radius: var(--card-radius); padding: var(--card-padding); box-shadow: var(--card-shadow); }
.section.bare { background: none; border: 0; padding: 0; box-shadow: none; }
.section > h2, .heading { font-size: var(--heading-size); line-height: 1.3; font-weight: 600; }
.stack { display: flex; flex-direction: column; }
.stack.inline { flex-direction: row; flex-wrap: wrap; }
.grid { display: grid; }
.box { display: block; }
.strong { font-weight: 600; } .emphasis { font-style: italic; } .small { font-size: .86em; }
.address { font-style: italic; } .redundant, .offset { color: var(--subdued); text-decoration: line-through; }
.tone-critical { color: var(--critical); } .tone-success { color: var(--success); }
.tone-warning, .tone-caution { color: var(--warning); } .tone-info { color: var(--info); }
button, .button { font-weight: 600; font-size: .94em; line-height: 1.3; display: inline-flex; gap: 8px; align-items: center; justify-content: center;
  min-height: var(--control); padding: 6px 16px; border-radius: var(--control-radius); border: 1px solid var(--line);
  background: var(--card); color: var(--ink); cursor: pointer; text-decoration: none; text-align: center; }
button:hover, .button:hover { background: var(--hover); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { filter: brightness(1.15); }
button.critical, .button.critical { color: var(--critical); border-color: currentColor; }
button.primary.critical, .button.primary.critical { background: var(--critical); border-color: var(--critical); color: #fff; }
button.tertiary { border-color: transparent; background: none; }
button.fill { width: 100%; }
button:disabled { cursor: default; background: var(--hover); border-color: var(--line); color: var(--subdued); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
a.link, button.link { color: var(--link); text-decoration: underline; text-underline-offset: 2px; background: none; border: 0; padding: 0;
  min-height: 24px; font-weight: inherit; font-size: 1em; display: inline; }
.badge { display: inline-flex; align-items: center; gap: 5px; padding: 2px 10px; border-radius: 99px; font-size: .82em; font-weight: 500;
  background: var(--hover); color: var(--ink); white-space: nowrap; }
.badge.success { background: #cdf5d9; color: #0c4a24; } .badge.critical { background: #fde0dd; color: #8a1410; }
.badge.warning, .badge.caution { background: #ffeac2; color: #5c3d00; } .badge.info { background: #dcedff; color: #003a6b; }
.banner { display: grid; gap: 4px; grid-template-columns: 1fr auto; padding: 12px 16px; border-radius: var(--control-radius);
  background: #eaf3fc; color: #12324f; border: 1px solid #c5dcf2; }
.banner.success { background: #e4f7ea; color: #0c4a24; border-color: #b4e3c4; }
.banner.warning { background: #fff3d9; color: #553a00; border-color: #f1d69c; }
.banner.critical { background: #fdecea; color: #7d1410; border-color: #f3c3bf; }
.banner h3 { font-weight: 600; } .banner > * { grid-column: 1; }
.banner > button { grid-column: 2; grid-row: 1; min-height: 24px; width: 28px; padding: 0; border: 0; background: none; color: inherit; }
.switch { display: flex; gap: 12px; align-items: center; justify-content: space-between; cursor: pointer; min-height: 28px; }
.switch input { appearance: none; flex: none; width: 44px; height: 26px; margin: 0; border-radius: 13px; background: var(--off);
  position: relative; cursor: pointer; transition: background .12s; }
.switch input::before { content: ""; position: absolute; inset: 3px auto 3px 3px; width: 20px; border-radius: 50%; background: #fff;
  box-shadow: 0 1px 2px #0004; transition: transform .12s; }
.switch input:checked { background: var(--accent); } .switch input:checked::before { transform: translateX(18px); }
.switch input:disabled { opacity: .5; cursor: default; }
.bare-label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.check { display: flex; gap: 10px; align-items: flex-start; cursor: pointer; min-height: 24px; }
.check input { width: 18px; height: 18px; margin: 2px 0 0; accent-color: var(--accent); }
.field { display: grid; gap: 5px; } .field label { font-size: .92em; }
.field input, .field textarea, .field select { width: 100%; min-height: var(--control); padding: 7px 12px; border: 1px solid var(--field-line);
  border-radius: var(--control-radius); background: var(--card); color: var(--ink); }
.field .error, .error { color: var(--critical); font-size: .92em; }
.details-text { color: var(--subdued); font-size: .92em; }
hr { border: 0; border-top: 1px solid var(--line); margin: 0; width: 100%; }
details > div { padding-top: 12px; } 
summary { cursor: pointer; font-weight: 600; min-height: 24px; }
.list { padding-inline-start: 20px; display: grid; gap: 4px; }
:host(s-list-item) { display: list-item; list-style: inherit; }
table { width: 100%; border-collapse: collapse; font-size: .94em; }
:host(s-table) { overflow-x: auto; } .table { display: table; width: 100%; }
:host(s-table-body) { display: table-row-group; } :host(s-table-header-row) { display: table-header-group; }
:host(s-table-row) { display: table-row; }
:host(s-table-cell), :host(s-table-header) { display: table-cell; padding: 9px 12px; border-bottom: 1px solid var(--line); vertical-align: top; text-align: start; }
:host(s-table-header) { font-weight: 600; color: var(--subdued); font-size: .88em; }
.spinner { display: inline-block; width: 22px; height: 22px; border-radius: 50%; border: 3px solid var(--line); border-top-color: var(--accent);
  animation: turn .8s linear infinite; }
.skeleton { display: grid; gap: 8px; } .skeleton i { height: 12px; border-radius: 6px; background: var(--hover); }
.skeleton i:last-child { width: 60%; }
.group { display: flex; flex-wrap: wrap; gap: 8px; }
dialog { position: absolute; border: 0; padding: 0; width: min(34em, calc(100% - 24px)); border-radius: var(--card-radius); background: var(--card); color: var(--ink);
  box-shadow: 0 12px 40px #0005; margin: 0 auto; inset: auto 0; max-height: none; }
dialog::backdrop { background: #0006; }
dialog .inner { display: grid; gap: 16px; padding: 20px; }
dialog header { display: flex; gap: 12px; justify-content: space-between; align-items: center; }
dialog header button { min-height: 32px; width: 32px; padding: 0; border: 0; background: none; }
dialog footer { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; }
.action-body { display: grid; gap: 16px; }
.action-body footer { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; padding-top: 12px; border-top: 1px solid var(--line); }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 4s; } * { transition: none !important; } }
`;

export const SHEET = new CSSStyleSheet();
SHEET.replaceSync(CSS);

/** Lengths of the platform's scale. */
const SPACES: Record<string, string> = {
  none: "0",
  "small-500": "2px",
  "small-400": "4px",
  "small-300": "6px",
  "small-200": "8px",
  "small-100": "10px",
  small: "12px",
  base: "16px",
  large: "20px",
  "large-100": "24px",
  "large-200": "28px",
  "large-300": "32px",
  "large-400": "40px",
  "large-500": "48px",
};

/** `small base` is `12px 16px`; lengths stay as they are. */
export const toSpace = (value: string): string =>
  value
    .split(" ")
    .map((part) => SPACES[part] ?? part)
    .join(" ");
