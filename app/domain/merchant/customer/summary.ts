// What the block on the customer's page of the store admin shows: the customer page of this app in short,
// without name and address, which stand on the admin's own page.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { CUSTOMER_GID } from "../../customers/customer-change.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { readCustomer } from "../customer-screen.ts";
import type { SystemState } from "./systems.ts";
import type { TimelineItem } from "./timeline.ts";

const MAX_EVENTS = 5;
const SEEN_EVERY_MS = 3_600_000;

export const CustomerId = z.object({
  id: z.string().regex(CUSTOMER_GID, "must be the id of a customer"),
});

type SummaryEvent = {
  kind: TimelineItem["kind"];
  at: string;
  /** What happened, such as `granted`, `added` or `delivered`. */
  change: string;
  /** To what: a consent, names of tags, an event, an agent. */
  subject: string | null;
};

export type CustomerSummary = {
  userId: number;
  status: string;
  consents: { type: string; state: string; at: string | null }[];
  /** `source`: who assigned it. */
  tags: { slug: string; name: string; source: string }[];
  /** The merchant's own tags at the store. */
  storeTags: string[];
  systems: Pick<SystemState, "channel" | "status" | "at">[];
  /** The store's, in which its staff reads the times. */
  timeZone: string;
  /** Newest first. */
  events: SummaryEvent[];
  /** The customer's page of this app, in the store admin. */
  url: string;
};

/** Null for a customer that is not known here. */
export async function readCustomerSummary(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<CustomerSummary | null> {
  const { prisma } = dataOf(ctx, tenant);
  const row = await prisma.storefrontUser.findFirst({
    where: { storefront_customer_gid: gid, status: { not: "deleted" } },
    select: { id: true },
  });
  const found = row && (await readCustomer(ctx, tenant, row.id, { kind: null, before: null }));
  if (!found) return null;
  const { customer, consents, related, storeTags, systems, timeline } = found;
  return {
    userId: customer.id,
    status: customer.status,
    consents: consents.map(({ type, state, decision }) => ({
      type,
      state,
      at: decision?.at ?? null,
    })),
    tags: related.tags.map(({ slug, name, source }) => ({ slug, name, source })),
    storeTags,
    systems: systems
      .filter(({ isOn }) => isOn)
      .map(({ channel, status, at }) => ({ channel, status, at })),
    timeZone: timeZoneOf(tenant),
    events: timeline.items.slice(0, MAX_EVENTS).map(toEvent),
    url: ctx.storefront.adminUrl(
      tenant.shop,
      `/admin/apps/${tenant.app.clientId}/app/customers/${customer.id}`,
    ),
  };
}

function toEvent(item: TimelineItem): SummaryEvent {
  return { kind: item.kind, at: item.at, ...changeOf(item) };
}

function changeOf(item: TimelineItem): Pick<SummaryEvent, "change" | "subject"> {
  switch (item.kind) {
    case "consent":
      return { change: item.decision, subject: item.type };
    case "tag":
      return { change: item.change, subject: item.names.join(", ") };
    case "delivery":
      return { change: outcomeOf(item.systems.map(({ status }) => status)), subject: item.type };
    case "agent":
      return { change: item.change, subject: item.name };
    case "mandate":
      return {
        change: item.change,
        subject: item.amount && item.currency ? `${item.amount} ${item.currency}` : null,
      };
    case "privacy":
      return { change: item.request_kind, subject: null };
    case "access":
      return { change: item.action, subject: null };
  }
}

/** The worst outcome, when an event has several systems. */
function outcomeOf(statuses: readonly string[]): "failed" | "waiting" | "delivered" {
  if (statuses.includes("dead_letter")) return "failed";
  return statuses.every((status) => status === "delivered") ? "delivered" : "waiting";
}

/** Remembers that staff sees the block: once an hour at most. */
export async function noteBlockSeen(ctx: Ctx, tenant: Tenant): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  const now = ctx.clock.now();
  const known = await findKey<{ at: string }>(sql, KEYS.adminBlock);
  if (known && now.getTime() - new Date(known.value.at).getTime() < SEEN_EVERY_MS) return;
  await putKey(sql, KEYS.adminBlock, { at: now.toISOString() });
}
