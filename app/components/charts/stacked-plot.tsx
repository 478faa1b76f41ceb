// The plot of a time chart. The pointer and the arrow keys choose a point; its numbers are shown in a
// tooltip and read out.
import { useTranslation } from "react-i18next";
import { stack } from "d3-shape";
import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { ChartTooltip } from "./chart-tooltip.tsx";
import { COLORS, type Point, type Series } from "./series.ts";

/** The width of the drawing, which is stretched to the width of its card. */
const WIDTH = 720;
/** The part of a step that its bar takes. */
const BAR = 0.75;

type Props = {
  label: string;
  series: readonly Series[];
  points: readonly Point[];
  /** The sum of the highest point. */
  highest: number;
  height: number;
};

export default function StackedPlot({ label, series, points, highest, height }: Props) {
  const { t } = useTranslation("frame");
  const [chosen, setChosen] = useState<number | null>(null);
  const point = chosen === null ? undefined : points[chosen];
  const step = WIDTH / Math.max(1, points.length);
  const move = (event: KeyboardEvent) => {
    const to = moved(event.key, chosen, points.length);
    if (to === undefined) return;
    event.preventDefault();
    setChosen(to);
  };
  const choose = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * points.length);
    setChosen(Math.max(0, Math.min(points.length - 1, at)));
  };
  return (
    <div
      role="application"
      aria-label={`${label} ${t("chart.keys")}`}
      tabIndex={0}
      style={{ position: "relative", height, touchAction: "pan-y" }}
      onKeyDown={move}
      onPointerMove={choose}
      onPointerDown={choose}
      onPointerLeave={() => setChosen(null)}
      onBlur={() => setChosen(null)}
    >
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        style={{
          width: "100%",
          height,
          display: "block",
          borderBottom: "1px solid var(--p-color-border)",
        }}
      >
        {chosen !== null && (
          <rect
            x={chosen * step}
            width={step}
            height={height}
            fill="var(--p-color-bg-surface-hover)"
          />
        )}
        <Bars
          series={series}
          points={points}
          step={step}
          scale={height / highest}
          height={height}
        />
      </svg>
      {point && chosen !== null && (
        <ChartTooltip
          point={point}
          series={series}
          place={(chosen + 0.5) / Math.max(1, points.length)}
        />
      )}
      <Spoken point={point} series={series} />
    </div>
  );
}

type BarsProps = Pick<Props, "series" | "points" | "height"> & { step: number; scale: number };

function Bars({ series, points, step, scale, height }: BarsProps) {
  const layers = stack<Point>()
    .keys(series.map(({ key }) => key))
    .value(({ values }, key) => values[key] ?? 0)([...points]);
  return layers.map((layer, place) => (
    <g key={layer.key} fill={COLORS[series[place]?.color ?? "subdued"]}>
      {layer.map(([from, to], at) => (
        <rect
          key={points[at]?.key}
          x={(at + (1 - BAR) / 2) * step}
          y={height - to * scale}
          width={step * BAR}
          height={(to - from) * scale}
        />
      ))}
    </g>
  ));
}

function Spoken({ point, series }: { point: Point | undefined; series: readonly Series[] }) {
  const locale = useLocale();
  const labelled = useLabelled();
  const numbers = series.map(
    ({ key, label }) => `${label} ${formatCount(locale, point?.values[key] ?? 0)}`,
  );
  return (
    <div
      aria-live="polite"
      style={{
        position: "absolute",
        width: 1,
        height: 1,
        overflow: "hidden",
        clipPath: "inset(50%)",
      }}
    >
      {point && labelled(point.label, numbers.join(", "))}
    </div>
  );
}

/** Undefined for a key of no meaning here; null closes the tooltip. */
function moved(key: string, chosen: number | null, count: number): number | null | undefined {
  const last = count - 1;
  if (count === 0) return undefined;
  if (key === "ArrowRight") return chosen === null ? 0 : Math.min(last, chosen + 1);
  if (key === "ArrowLeft") return chosen === null ? last : Math.max(0, chosen - 1);
  if (key === "Home") return 0;
  if (key === "End") return last;
  return key === "Escape" && chosen !== null ? null : undefined;
}
