// What a chart shows: one number per series and point. The caller formats the labels, so that they
// follow the reader's language.

/** Colours of the design system that stand out from a card's background. */
export const COLORS = {
  success: "var(--p-color-bg-fill-success)",
  caution: "var(--p-color-icon-caution)",
  critical: "var(--p-color-bg-fill-critical)",
  info: "var(--p-color-icon-info)",
  subdued: "var(--p-color-icon-secondary)",
} as const;

export type Series = { key: string; label: string; color: keyof typeof COLORS };

export type Point = {
  key: string;
  label: string;
  /** The label below the chart. */
  short: string;
  values: Readonly<Record<string, number>>;
};

export const totalOf = ({ values }: Point, series: readonly Series[]): number =>
  series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0);
