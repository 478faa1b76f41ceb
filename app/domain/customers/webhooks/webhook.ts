// One webhook in work, and what its handlers share.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { AppliedChange } from "../from-storefront.ts";
import type { InboxItem } from "./webhook-inbox.ts";

/** Steps of later subjects, passed in by the caller. Each must be safe to repeat. */
export type WebhookFollowers = {
  order?: (ctx: Ctx, tenant: Tenant, payload: unknown) => Promise<void>;
  /** Inside the transaction that creates the customer: whether the address gets a welcome mail. */
  mayWelcome?: (ctx: Ctx, tenant: Tenant, sql: TenantSql, userId: number) => Promise<boolean>;
};

export type Webhook = {
  ctx: Ctx;
  tenant: Tenant;
  item: InboxItem;
  payload: unknown;
  followers: WebhookFollowers;
};

type IgnoreReason =
  | "merge_failed"
  | "no_consent_state"
  | "unchanged"
  | "unknown_customer"
  | "unknown_store"
  | "unreadable_payload";

/** The outcome for the log line, with the reason when the webhook had no effect. */
export type Handled =
  { outcome: AppliedChange["outcome"] | "done" } | { outcome: "ignored"; reason: IgnoreReason };

export const DONE: Handled = { outcome: "done" };
export const ignored = (reason: IgnoreReason): Handled => ({ outcome: "ignored", reason });

/** When the change happened in the store. */
export const changedAt = ({ item }: Webhook, claimed?: string | null): Date =>
  item.triggeredAt ?? (claimed ? new Date(claimed) : item.receivedAt);
