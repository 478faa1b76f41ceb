// What became of the store's banner on each of the 90 days, for the consent insights.
import { BannerEvent, type BannerStep } from "../domain/consent/insights/banner-event.ts";
import { addBannerCounts } from "../domain/consent/insights/count-banner-event.ts";
import { timeZoneOf } from "../domain/tenants/storefront/time-zone.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { lastDays } from "../runtime/calendar-days.ts";
import { HISTORY_DAYS, type Calendar } from "./calendar.ts";
import { COUNTRIES } from "./countries.ts";
import type { Demo } from "./demo.ts";
import { createDice, type Dice } from "./random.ts";

const SEED = 88;
const SHOWN_PER_DAY = 46;
const ANSWERS: readonly (readonly [BannerStep | null, number])[] = [
  ["accepted", 47],
  ["refused", 22],
  ["customised", 9],
  [null, 22],
];

/** In one transaction, and once: counts that are there are not added again. */
export async function countBanner({ ctx, tenant, calendar }: Demo): Promise<void> {
  const days = lastDays(timeZoneOf(tenant), HISTORY_DAYS, calendar.end).map(({ day }) => day);
  const today = days.pop() as string;
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    if (await prisma.bannerDay.findFirst({ where: { day: { lt: new Date(today) } } })) return;
    const dice = createDice(SEED);
    for (const [at, day] of days.entries())
      await addBannerCounts(sql, tenant, planDay(dice, calendar, days.length - at), day);
  });
}

function planDay(dice: Dice, calendar: Calendar, daysAgo: number): BannerEvent[] {
  const shown = Math.round(SHOWN_PER_DAY * calendar.trade(daysAgo) * (0.85 + 0.3 * dice.next()));
  return Array.from({ length: shown }, (): BannerEvent[] => {
    const { code, language } = dice.weighted(COUNTRIES.map((one) => [one, one.weight] as const));
    const seen = BannerEvent.parse({
      step: "shown",
      version: 0,
      region: code,
      language,
      device: dice.weighted([
        ["phone" as const, 61],
        ["desktop" as const, 33],
        ["tablet" as const, 6],
      ]),
    });
    const answer = dice.weighted(ANSWERS);
    return [seen, ...(answer ? [{ ...seen, step: answer }] : [])];
  }).flat();
}
