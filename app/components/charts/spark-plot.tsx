import { area, line } from "d3-shape";

const WIDTH = 120;
const COLOR = "var(--p-color-icon-info)";
/** Room between the line and the edges, so that a stroke at an edge is not cut. */
const MARGIN = 2;

type Props = { values: readonly (number | null)[]; height: number };
type Place = [x: number, y: number];

export default function SparkPlot({ values, height }: Props) {
  const places = linePoints(values, height);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      style={{ width: "100%", height, display: "block" }}
    >
      <path d={area<Place>().y0(height)(places) ?? ""} fill={COLOR} fillOpacity={0.12} />
      <path
        d={line<Place>()(places) ?? ""}
        fill="none"
        stroke={COLOR}
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** From the lowest to the highest value; a steady line stands in the middle, one of zeros at the bottom. */
function linePoints(values: readonly (number | null)[], height: number): Place[] {
  const known = values.filter((value) => value !== null);
  const lowest = Math.min(...known);
  const span = Math.max(...known) - lowest;
  const step = WIDTH / Math.max(1, values.length - 1);
  return values.flatMap((value, at): Place[] => {
    if (value === null) return [];
    const share = span > 0 ? (value - lowest) / span : lowest === 0 ? 0 : 0.5;
    return [[at * step, height - MARGIN - share * (height - 2 * MARGIN)]];
  });
}
