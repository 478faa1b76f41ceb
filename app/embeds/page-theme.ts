// The look of the shoppers' pages: custom properties from the store's brand settings. A `--crm-*`
// value of the theme comes first, then the store's setting, then a default in light or dark.
import type { TenantConfig } from "../domain/tenants/tenant-config.ts";

/** How a store wants its shoppers' pages to look: its brand settings. */
export type BrandTheme = {
  color: string | null;
  background: string | null;
  cornerRadius: number;
  font: TenantConfig["brand_font"];
};

/** For a page that belongs to no store, such as the operator's sign-in. */
export const PLAIN_THEME: BrandTheme = {
  color: null,
  background: null,
  cornerRadius: 8,
  font: "system",
};

/** Fonts that devices have: a page never downloads one. */
const FONTS: Record<TenantConfig["brand_font"], string> = {
  system: "system-ui,sans-serif",
  humanist: "Seravek,'Gill Sans Nova',Ubuntu,Calibri,'DejaVu Sans',sans-serif",
  geometric: "Avenir,Montserrat,Corbel,'URW Gothic',sans-serif",
  rounded: "ui-rounded,'Hiragino Maru Gothic ProN',Quicksand,'Arial Rounded MT Bold',sans-serif",
  serif: "Charter,'Bitstream Charter','Sitka Text',Cambria,serif",
};

// Relative colours (CSS Color 5): in `xyz-d65` the `y` of a colour is its relative luminance, which
// WCAG's contrast is made of. On a luminance of 0.179 black and white have the same contrast, 4.58:1;
// on a darker colour white is easier to read, on a lighter one black.
const IS_LIGHT = "clamp(0,(y - .179)*1e6,1)";
const grey = (from: string, luminance: string) =>
  `color(from ${from} xyz-d65 calc(${luminance}*.9505) calc(${luminance}) calc(${luminance}*1.089))`;

/** Black or white, whichever is easier to read on the colour. */
const blackOrWhite = (from: string) => grey(from, `(1 - ${IS_LIGHT})`);

/** The grey with this contrast to the colour; black or white where there is no such grey. */
const withContrast = (from: string, ratio: number) =>
  grey(
    from,
    `(${IS_LIGHT}*max(0,(y + .05)/${ratio} - .05) + (1 - ${IS_LIGHT})*min(1,(y + .05)*${ratio} - .05))`,
  );

/** The colour behind cards: a little darker where that does not bring it closer to the text. */
function behindCards(from: string): string {
  const factor = "(1 - .07*clamp(0,(y - .5)*1e6,1) - .4*clamp(0,(.179 - y)*1e6,1))";
  return `color(from ${from} xyz-d65 calc(x*${factor}) calc(y*${factor}) calc(z*${factor}))`;
}

/** A page's root, also inside a theme's page: never the banner, which may stand on the same page. */
const PAGE = ".crm.crm-ui,body.crm";

/**
 * The custom properties of the shoppers' pages, as a style. Each text colour is derived from what it
 * stands on, so that it is readable on any colour: 4.5:1 or more, mostly 7:1; lines 3:1.
 */
export function pageTokens({ color, background, cornerRadius, font }: BrandTheme): string {
  const inScheme = (derive: (scheme: "light" | "dark") => string) =>
    `light-dark(${derive("light")},${derive("dark")})`;
  const ground = (scheme: string) => `var(--ground-${scheme})`;
  const strong = (scheme: string) => `var(--strong-${scheme})`;
  const properties = {
    "--ground-light": `var(--crm-ground,${background ?? "#fff"})`,
    "--ground-dark": `var(--crm-ground,${background ?? "#1a1c1d"})`,
    "--strong-light": `var(--crm-strong,${color ?? "#1a1c1d"})`,
    "--strong-dark": `var(--crm-strong,${color ?? "#f3f4f5"})`,
    "--ground": inScheme(ground),
    "--page": inScheme((scheme) => behindCards(ground(scheme))),
    "--text": `var(--crm-text,${inScheme((scheme) => withContrast(ground(scheme), 15))})`,
    "--quiet": `var(--crm-quiet,${inScheme((scheme) => withContrast(ground(scheme), 7))})`,
    "--line": `var(--crm-line,${inScheme((scheme) => withContrast(ground(scheme), 3.3))})`,
    "--strong": inScheme(strong),
    "--on-strong": `var(--crm-on-strong,${inScheme((scheme) => blackOrWhite(strong(scheme)))})`,
    "--focus": "var(--crm-focus,var(--text))",
    "--radius": `var(--crm-radius,${cornerRadius}px)`,
    color: "var(--text)",
    font: `1rem/1.5 ${FONTS[font]}`,
    "font-family": `var(--crm-font,${FONTS[font]})`,
    // What the browser draws itself stands on the merchant's colour in either scheme.
    ...(background && { "color-scheme": isLight(background) ? "light" : "dark" }),
  };
  const declarations = Object.entries(properties).map(([name, value]) => `${name}:${value}`);
  return `${PAGE}{${declarations.join(";")}}`;
}

/** `hex`: # and six digits. */
function isLight(hex: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
