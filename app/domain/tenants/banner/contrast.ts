// Contrast of two colours (WCAG 2.2, "relative luminance" and "contrast ratio"). Colours are `#rrggbb`.

/** Red, green and blue, 0 to 255. */
const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours by WCAG, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour between two; `share` 0 is the first, 1 the second. */
export function mix(from: string, to: string, share: number): string {
  const ends = channels(to);
  return `#${channels(from)
    .map((value, at) => Math.round(value + ((ends[at] ?? 0) - value) * share))
    .map((value) => value.toString(16).padStart(2, "0"))
    .join("")}`;
}
