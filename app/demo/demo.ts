// What every part of the demo store's history works with.
import type { Ctx } from "../context.server.ts";
import { dataOf, type Tenant } from "../domain/tenants/tenant.ts";
import { historicTime, type HistoricTime } from "../runtime/historic-time.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Calendar } from "./calendar.ts";
import type { DemoCustomer } from "./people.ts";

export type Demo = {
  /** Has no channels: what is history causes no delivery today. */
  ctx: Ctx;
  /** Read with `ctx`, and not the one of live requests: a tenant keeps the context it was used with. */
  tenant: Tenant;
  /** The channels of live requests that the store has set up. */
  channels: Ctx["channels"];
  storefront: Pick<Sandbox["storefront"], "putCustomer" | "putOrder" | "customers">;
  calendar: Calendar;
  customers: readonly DemoCustomer[];
  signal: AbortSignal;
};

/** The context of one moment of the history; `uuid` is the next id that a function makes. */
export const inHistory = (ctx: Ctx, at: Date, uuid?: string): Ctx => ({
  ...ctx,
  clock: { now: () => at },
  ...(uuid !== undefined && { random: { ...ctx.random, uuid: () => uuid } }),
});

/** The context of a history: its functions enqueue nothing and log only what is wrong. */
export const withoutEffects = (ctx: Ctx): Ctx => ({
  ...ctx,
  channels: [],
  log: ctx.log.quiet(),
});

export const timeOf = ({ ctx }: Demo, at: Date): HistoricTime => historicTime(ctx.config, at);

/** The ids of the imported customers here, by their gid at the store. */
export async function findUserIds({ ctx, tenant }: Demo): Promise<Map<string, number>> {
  const rows = await dataOf(ctx, tenant).prisma.storefrontUser.findMany({
    select: { id: true, storefront_customer_gid: true },
    where: { storefront_customer_gid: { not: null }, status: "active" },
  });
  return new Map(rows.map((row) => [row.storefront_customer_gid as string, row.id]));
}

export function slicesOf<T>(list: readonly T[], size: number): T[][] {
  const slices: T[][] = [];
  for (let from = 0; from < list.length; from += size) slices.push(list.slice(from, from + size));
  return slices;
}
