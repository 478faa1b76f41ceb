// The thresholds of the tags that rules set (DECISIONS 8). The rules themselves: tags/system-tag-rules.ts.
import { z } from "zod";

export const DEFAULT_TAG_RULES = {
  /** Without a sign-in, an order or a change for this long a customer is inactive. */
  inactive_after_days: 365,
  /** In the store's currency; this much, or `vip_orders`, makes a VIP. */
  vip_amount: 1_000,
  vip_orders: 10,
  high_value_amount: 500,
  /** First seen within this time, a customer is new. */
  new_days: 30,
  /** A customer who has ordered is at risk after this time without a sign-in, an order or a change. */
  at_risk_days: 180,
};

const days = z.number().int().min(1).max(3_650);
const amount = z.number().positive().max(1_000_000_000);

export const TagRules = z.strictObject({
  inactive_after_days: days.default(DEFAULT_TAG_RULES.inactive_after_days),
  vip_amount: amount.default(DEFAULT_TAG_RULES.vip_amount),
  vip_orders: z.number().int().min(1).max(100_000).default(DEFAULT_TAG_RULES.vip_orders),
  high_value_amount: amount.default(DEFAULT_TAG_RULES.high_value_amount),
  new_days: days.default(DEFAULT_TAG_RULES.new_days),
  at_risk_days: days.default(DEFAULT_TAG_RULES.at_risk_days),
});
export type TagRules = z.output<typeof TagRules>;
