// The counts of deliveries before the month whose events are kept: the charts compare with them.
import { dataOf } from "../domain/tenants/tenant.ts";
import { DAY_MS, HISTORY_DAYS, HOUR_MS } from "./calendar.ts";
import type { Demo } from "./demo.ts";
import { createDice } from "./random.ts";

const SEED = 62;
/** Newer days have events, which are counted as they are played. */
const FROM_DAYS_AGO = 30;
const PER_HOUR = 9;
const HOURS = [8, 11, 14, 17, 20];
const FAILED = 0.012;
/** An attempt of about 150 ms, as a range of the latencies. */
const LATENCY_MS = 150;
const LATENCIES = 16;
const LATENCY_RANGE = 6;

/** Safe to repeat: an hour that is counted is left alone. */
export async function writePastCounts(demo: Demo): Promise<void> {
  const { ctx, tenant, calendar, channels } = demo;
  const dice = createDice(SEED);
  const rows = daysOf(calendar.end).flatMap(({ daysAgo, start }) =>
    HOURS.flatMap((hour) =>
      channels.map(({ name: channel }) => {
        const attempts = Math.round(PER_HOUR * calendar.trade(daysAgo) * (0.7 + 0.6 * dice.next()));
        const failed = Array.from({ length: attempts }).filter(() => dice.chance(FAILED)).length;
        const latencies = Array.from({ length: LATENCIES }, () => 0);
        latencies[LATENCY_RANGE] = attempts;
        return {
          shop: tenant.shop,
          hour: new Date(start + hour * HOUR_MS),
          channel,
          delivered: attempts - failed,
          failed,
          skipped: 0,
          latency_ms_sum: BigInt(attempts * LATENCY_MS),
          latencies,
        };
      }),
    ),
  );
  await dataOf(ctx, tenant).prisma.channelHour.createMany({ data: rows, skipDuplicates: true });
}

const daysOf = (end: Date) => {
  const today = Math.floor(end.getTime() / DAY_MS) * DAY_MS;
  return Array.from({ length: HISTORY_DAYS - FROM_DAYS_AGO }, (_, at) => {
    const daysAgo = HISTORY_DAYS - 1 - at;
    return { daysAgo, start: today - daysAgo * DAY_MS };
  });
};
