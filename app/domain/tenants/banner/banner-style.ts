// The custom properties of a store's own banner, as CSS. Every value comes through the schema of the design, so
// that nothing in it ends the rule or the style element.
import type { BannerColors, BannerDesign, BannerFont } from "./banner-design.ts";
import { contrastOf, mix } from "./contrast.ts";

const FONTS: Record<BannerFont, string> = {
  system: "system-ui,sans-serif",
  theme: "inherit",
  serif: "ui-serif,Georgia,serif",
  rounded: "ui-rounded,'Arial Rounded MT Bold',system-ui,sans-serif",
};
/** The contrast of lines against the background (WCAG 1.4.11). */
const MIN_LINE_CONTRAST = 3;
const LINE_SHARES = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Between ground and text, as quiet as a line may be. */
const lineColor = ({ ground, text }: BannerColors): string =>
  LINE_SHARES.map((share) => mix(ground, text, share)).find(
    (color) => contrastOf(color, ground) >= MIN_LINE_CONTRAST,
  ) ?? text;

const properties = (colors: BannerColors): string =>
  `--ground:${colors.ground};--text:${colors.text};--line:${lineColor(colors)};--strong:${colors.button};--on-strong:${colors.on_button};--focus:${colors.text}`;

/** The style of one banner; it follows the style of all banners and replaces properties of it. */
export function styleOf({ scheme, light, dark, radius, font }: BannerDesign): string {
  const family = font === "system" ? "" : `;font-family:${FONTS[font]}`;
  const base = `.crm.crm-own{${properties(scheme === "dark" ? dark : light)};--radius:${radius}px;color-scheme:${scheme === "auto" ? "light dark" : scheme}${family}}`;
  return scheme === "auto"
    ? `${base}@media(prefers-color-scheme:dark){.crm.crm-own{${properties(dark)}}}`
    : base;
}
