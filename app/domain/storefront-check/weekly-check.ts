// The check of the storefront that repeats itself each week, as a step of the scheduled run, and its mail: one about
// each vendor that loads before consent and did not in any earlier check. It is on for a store that has checked once,
// until the merchant switches it off.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import {
  compareAndSetKey,
  findKey,
  findKeys,
  putKey,
  putKeyIfAbsent,
  type Stored,
} from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { isChannelEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { findStoreRecipients } from "../mails/merchant-recipients.ts";
import { isUninstalled } from "../tenants/store-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { CheckProblem } from "./check-pages.ts";
import type { StorefrontResult } from "./storefront-check.ts";

const DAY_MS = 86_400_000;
const EVERY_DAYS = 7;
/** Days until the next check after one that found the store closed. */
const AGAIN_AFTER_DAYS = 1;

/** Times are ISO 8601. */
type Weekly = {
  /** The last check of the scheduled run. */
  at: string | null;
  problem: CheckProblem | null;
  next_at: string;
  /** The vendors that any check found to load before consent, and that the merchant saw or was mailed about. */
  vendors: string[];
};

export type WeeklyCheck = {
  isOn: boolean;
  /** The last one that ran by itself. */
  lastAt: string | null;
  problem: CheckProblem | null;
  /** The next scheduled run checks. */
  isDue: boolean;
  /** Null while it is off or due. */
  nextAt: string | null;
};

export async function readWeeklyCheck(ctx: Ctx, tenant: Tenant): Promise<WeeklyCheck> {
  const found = await findKeys(dataOf(ctx, tenant).sql, [
    KEYS.storefrontCheck,
    KEYS.storefrontSwitch,
    KEYS.storefrontWeekly,
  ]);
  const chosen = found.get(KEYS.storefrontSwitch) as { is_on: boolean } | undefined;
  const weekly = found.get(KEYS.storefrontWeekly) as Weekly | undefined;
  const result = found.get(KEYS.storefrontCheck) as StorefrontResult | undefined;
  const isOn = chosen?.is_on ?? result !== undefined;
  // A result of an earlier version, which did not repeat its checks.
  const nextAt = weekly?.next_at ?? (result ? daysAfter(new Date(result.at), EVERY_DAYS) : null);
  const isDue = isOn && (nextAt === null || Date.parse(nextAt) <= ctx.clock.now().getTime());
  return {
    isOn,
    lastAt: weekly?.at ?? null,
    problem: weekly?.problem ?? null,
    isDue,
    nextAt: isOn && !isDue ? nextAt : null,
  };
}

export async function switchWeeklyCheck(ctx: Ctx, tenant: Tenant, isOn: boolean): Promise<void> {
  await putKey(dataOf(ctx, tenant).sql, KEYS.storefrontSwitch, { is_on: isOn });
  ctx.log.info("storefront.weekly_switched", { shop: tenant.shop, is_on: isOn });
}

/** False while the app is uninstalled. */
export const isCheckDue = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  !isUninstalled(tenant) && (await readWeeklyCheck(ctx, tenant)).isDue;

/** A check of the scheduled run that found the store closed. */
export async function keepProblem(ctx: Ctx, tenant: Tenant, problem: CheckProblem): Promise<void> {
  const now = ctx.clock.now();
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const [weekly, earlier] = await readEarlier(sql);
    await replace(sql, weekly, {
      at: now.toISOString(),
      problem,
      next_at: daysAfter(now, AGAIN_AFTER_DAYS),
      vendors: weekly?.value.vendors ?? earlyVendors(earlier),
    });
  });
}

/**
 * Keeps a complete result in place of the one before, and mails what is new in a check of the scheduled run. What a
 * merchant's own check finds is on the screen. Returns the number of new vendors that were mailed.
 */
export async function keepResult(
  ctx: Ctx,
  tenant: Tenant,
  result: StorefrontResult,
  cause: "merchant" | "schedule",
): Promise<number> {
  const isScheduled = cause === "schedule";
  const canMail =
    isScheduled &&
    isChannelEnabled(ctx, tenant, "email") &&
    (await findStoreRecipients(ctx, tenant, "alert_emails")).length > 0;
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const now = ctx.clock.now();
    const [weekly, earlier] = await readEarlier(sql);
    const known = weekly?.value.vendors ?? earlyVendors(earlier);
    const fresh = earlyVendors(result).filter((vendor) => !known.includes(vendor));
    const next = daysAfter(now, EVERY_DAYS);
    await putKey(sql, KEYS.storefrontCheck, result);
    await replace(sql, weekly, {
      at: isScheduled ? now.toISOString() : (weekly?.value.at ?? null),
      problem: isScheduled ? null : (weekly?.value.problem ?? null),
      next_at: isScheduled ? next : (weekly?.value.next_at ?? next),
      // Vendors that no mail named stay new: the merchant does not know of them.
      vendors: isScheduled && !canMail ? known : [...known, ...fresh],
    });
    if (!canMail || fresh.length === 0) return 0;
    await enqueue(sql, {
      eventId: ctx.random.uuid(),
      source: "backend",
      eventType: "mail.storefront_finding",
      entityType: "store",
      entityId: tenant.shop,
      payload: { template: "storefront_finding", finding: { vendors: fresh } },
      occurredAt: now,
      destinations: ["email"],
      priority: 2,
    });
    return fresh.length;
  });
}

const readEarlier = async (sql: TenantSql) =>
  [
    await findKey<Weekly>(sql, KEYS.storefrontWeekly),
    (await findKey<StorefrontResult>(sql, KEYS.storefrontCheck))?.value ?? null,
  ] as const;

/** Throws when another check was kept meanwhile: both would mail the same. */
async function replace(
  sql: TenantSql,
  before: Stored<Weekly> | null,
  value: Weekly,
): Promise<void> {
  const key = KEYS.storefrontWeekly;
  const isFirst = before
    ? await compareAndSetKey(sql, key, before.version, value)
    : await putKeyIfAbsent(sql, key, value);
  if (!isFirst) throw new Error("another check of this storefront was kept meanwhile");
}

const earlyVendors = (result: StorefrontResult | null): string[] => [
  ...new Set(
    (result?.scripts ?? [])
      .filter(({ state }) => state === "before_consent")
      .flatMap(({ vendor }) => vendor ?? []),
  ),
];

const daysAfter = (at: Date, days: number): string =>
  new Date(at.getTime() + days * DAY_MS).toISOString();
