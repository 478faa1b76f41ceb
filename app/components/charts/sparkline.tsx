import { clientLazy } from "../frame/deferred-card.tsx";

const Line = clientLazy(() => import("./spark-plot.tsx"));

type Props = {
  /** What the line shows, for a screen reader. */
  label: string;
  /** Null: nothing was measured at that point. */
  values: readonly (number | null)[];
  width?: number | "100%";
};

/** A trend without numbers, which stand beside it. */
export function Sparkline({ label, values, width = "100%" }: Props) {
  return (
    <div role="img" aria-label={label} style={{ width, height: 32 }}>
      <Line values={values} height={32} />
    </div>
  );
}
