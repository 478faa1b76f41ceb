import { COLORS, type Series } from "./series.ts";

/** The colour of a series, in the legend and in the tooltip. */
export function Swatch({ color }: { color: Series["color"] }) {
  return (
    <span
      aria-hidden
      style={{
        width: 12,
        height: 12,
        borderRadius: 3,
        background: COLORS[color],
        forcedColorAdjust: "none",
        display: "inline-block",
        flex: "none",
      }}
    />
  );
}
