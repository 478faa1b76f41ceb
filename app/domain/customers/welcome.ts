// The welcome of a new storefront customer: a mail with a link to set a password, good for 24 hours (SPEC "Limits").
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { KEYS, putKey, TTL_SECONDS } from "../../runtime/kv.ts";
import { enqueue } from "../bus/enqueue.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** What a mailed link opens; only the hash of its token is stored. */
export type PasswordLink = { user_id: number; purpose: "welcome" | "reset" };

export async function enqueueWelcome(ctx: Ctx, tenant: Tenant, sql: TenantSql, userId: number, eventId: string): Promise<void> {
  if (!ctx.channels.some((channel) => channel.name === "email" && channel.isEnabled(tenant))) return;
  await enqueue(sql, {
    eventId: `${eventId}:welcome`,
    source: "storefront",
    eventType: "customer.welcomed",
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, template: "welcome" },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
  });
}

/** Makes a link that works once, for 24 hours. The token itself stands only in the mail. */
export async function createWelcomeLink(ctx: Ctx, tenant: Tenant, userId: number): Promise<string> {
  const token = ctx.random.bytes(32).toString("base64url");
  const link: PasswordLink = { user_id: userId, purpose: "welcome" };
  await putKey(dataOf(ctx, tenant).sql, KEYS.passwordLink(hash("sha256", token)), link, TTL_SECONDS.welcomeLink);
  return `${ctx.baseUrl}/auth/password/reset?${new URLSearchParams({ shop: tenant.shop, token })}`;
}
