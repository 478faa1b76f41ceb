// The theme that the embeds share. They render inside unknown storefront themes: everything is
// below one root element and sizes follow the reader's font size. A colour is the theme's (`--crm-*`
// on any ancestor), else a default that follows the `color-scheme` around it: a dark device does not
// darken an embed in a light theme.

/**
 * Marks the root element of an embed's page, which contains its style and scripts too: `<div class="crm
 * crm-auto" data-crm-root>`. The loader moves it to the theme's `data-crm-embed="<name>"` element.
 */
export const ROOT_MARK = "data-crm-root";

const COLOURS = {
  ground: ["#fff", "#1a1c1d"],
  text: ["#1a1c1d", "#f3f4f5"],
  quiet: ["#505459", "#c3c7cc"],
  line: ["#6b7075", "#8f959c"],
  strong: ["#1a1c1d", "#f3f4f5"],
  "on-strong": ["#fff", "#1a1c1d"],
  focus: ["#0b57d0", "#8ab4ff"],
} as const;

const declare = (valueOf: (light: string, dark: string) => string) =>
  Object.entries(COLOURS)
    .map(([name, [light, dark]]) => `--${name}:var(--crm-${name},${valueOf(light, dark)})`)
    .join(";");

/** All that an embed needs which sets every colour itself. */
export const BASE = ".crm{color:var(--text);font:1rem/1.5 system-ui,sans-serif}";

/**
 * Custom properties. The merchant's `--crm-*` always win; what they leave open follows the theme's
 * `color-scheme`, never the system alone, and is light in browsers without `light-dark()`. Forced colours
 * are left to the browser. Contrast of text on ground is at least 7:1, of lines 3:1.
 */
export const TOKENS = `${BASE}.crm{${declare((light) => light)}}
@supports(color:light-dark(#fff,#000)){.crm-auto{${declare((light, dark) => `light-dark(${light},${dark})`)}}}`;
