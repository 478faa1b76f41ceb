// How long attempts took, as counts per range of milliseconds. Counts of many minutes add up and give
// percentiles, which an average or a stored percentile does not.

/** The upper ends of the ranges, in milliseconds; a last range is open. */
const LATENCY_BOUNDS_MS = [
  5, 10, 20, 40, 70, 120, 200, 350, 600, 1_000, 1_800, 3_200, 6_000, 12_000, 30_000,
] as const;
const RANGES = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, range) => range);

const bounds = `ARRAY[${LATENCY_BOUNDS_MS.join(", ")}]::int[]`;
const arrayOf = (element: (range: number) => string) => `ARRAY[${RANGES.map(element).join(", ")}]`;

/** SQL of the range of a column of milliseconds, from 0. */
export const latencyRange = (column: string) => `width_bucket(${column}, ${bounds})`;

/** SQL of a histogram of grouped rows: `range` is a column made by `latencyRange`. */
export const countLatencies = (range: string, isCounted: string) =>
  arrayOf((at) => `(count(*) FILTER (WHERE ${isCounted} AND ${range} = ${at}))::int`);

/** SQL of the sum of two histograms. */
export const addLatencies = (one: string, other: string) =>
  arrayOf((at) => `${one}[${at + 1}] + ${other}[${at + 1}]`);

/** SQL of the sum of the histograms of grouped rows. */
export const sumLatencies = (column: string) =>
  arrayOf((at) => `coalesce(sum(${column}[${at + 1}]), 0)::int`);

export const addHistograms = (histograms: readonly (readonly number[])[]): number[] =>
  RANGES.map((range) => histograms.reduce((sum, counts) => sum + (counts[range] ?? 0), 0));

/**
 * The milliseconds that `share` (0 to 1) of the attempts did not exceed; null without attempts. The
 * attempts of a range count as evenly spread, those of the open one as its lower end.
 */
export function percentileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const range of RANGES) {
    const count = histogram[range] ?? 0;
    const from = LATENCY_BOUNDS_MS[range - 1] ?? 0;
    const to = LATENCY_BOUNDS_MS[range] ?? from;
    if (count > 0 && below + count >= total * share)
      return Math.round(from + (to - from) * ((total * share - below) / count));
    below += count;
  }
  return LATENCY_BOUNDS_MS.at(-1) as number;
}
