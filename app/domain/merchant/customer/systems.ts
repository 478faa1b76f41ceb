// The state of a customer in each connected system, and sending it again.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, DeliveryAttempt, IntegrationQueue } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { replay } from "../../bus/dead-letters/requeue-dead-letters.ts";
import { isErasedLetter, SKIPPED_AS_ERASED, toSkip, type Skip } from "../../bus/outcome.ts";
import { CUSTOMER_CHANNELS } from "../../inventory/write-matrix.ts";
import { findPerson, type Account } from "../../identity/account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

/** A customer's ids in events: the account's, and the storefront's. */
export const namesOnBus = ({ id, storefront_customer_gid: gid }: Account): string[] => [
  String(id),
  ...(gid ? [gid] : []),
];

export type SystemState = {
  channel: string;
  isOn: boolean;
  status: "none" | "delivered" | "skipped" | "waiting" | "dead";
  at: string | null;
  httpStatus: number | null;
  reason: string | null;
  /** Why the latest delivery sent nothing. */
  skip: Skip | null;
};
/** `at`: a text where the row came as JSON. */
export type SystemRow = Columns<
  IntegrationQueue,
  "channel" | "event_id" | "status" | "last_error" | "payload"
> &
  Columns<DeliveryAttempt, "http_status" | "error"> & { at: Date | string };

// The attempts are read by their event, which has few: the newest by id alone would be looked for in
// the whole channel.
/** SQL of the customer's newest delivery per channel. `names`: the parameter with `namesOnBus`. */
export const newestDeliveries = (names: string): string => `
  SELECT q.channel, q.event_id, q.status, q.last_error, q.payload, q.at, a.http_status, a.error FROM (
    SELECT DISTINCT ON (channel) channel, event_id, status, last_error, payload, coalesce(delivered_at,
      dead_lettered_at, updated_at) AS at FROM integration_queue
    WHERE shop = $1 AND entity_type = 'customer' AND entity_id = ANY(${names}::text[]) ORDER BY channel, id DESC
  ) q LEFT JOIN LATERAL (
    SELECT (array_agg(http_status ORDER BY id DESC))[1] AS http_status,
      (array_agg(error ORDER BY id DESC))[1] AS error
    FROM delivery_attempts WHERE shop = $1 AND event_id = q.event_id AND channel = q.channel
  ) a ON true ORDER BY q.channel`;

/** The latest delivery of this customer to each system within the event log that the store keeps. */
export function toSystems(ctx: Ctx, tenant: Tenant, rows: readonly SystemRow[]): SystemState[] {
  const on = ctx.channels.filter((channel) => channel.isEnabled(tenant)).map(({ name }) => name);
  const shown = [
    ...new Set([
      ...on.filter((name) => OF_CUSTOMERS.has(name)),
      ...rows.map(({ channel }) => channel),
    ]),
  ].sort();
  return shown.map((channel) => {
    const row = rows.find((one) => one.channel === channel);
    return { channel, isOn: on.includes(channel), ...(row ? toDelivery(row) : NO_DELIVERY) };
  });
}

type LatestDelivery = Omit<SystemState, "channel" | "isOn">;

const NO_DELIVERY: LatestDelivery = {
  status: "none",
  at: null,
  httpStatus: null,
  reason: null,
  skip: null,
};

function toDelivery(row: SystemRow): LatestDelivery {
  const skip = skipOf(row);
  const status = stateOf(row.status, skip);
  const hasReason = row.status !== "delivered" && !isErasedLetter(row);
  return {
    status,
    at: new Date(row.at).toISOString(),
    httpStatus: row.http_status,
    reason: hasReason ? (row.last_error ?? row.error) : null,
    skip: status === "skipped" ? skip : null,
  };
}

const skipOf = (row: SystemRow): Skip | null =>
  isErasedLetter(row) ? SKIPPED_AS_ERASED : toSkip(row);

/** A system that has the customer's current state already is synced. */
function stateOf(stored: string, skip: Skip | null): SystemState["status"] {
  if (stored === "dead_letter") return skip ? "skipped" : "dead";
  if (stored !== "delivered") return "waiting";
  return skip && skip.kind !== "unchanged" ? "skipped" : "delivered";
}

const OF_CUSTOMERS: ReadonlySet<string> = new Set(CUSTOMER_CHANNELS);

/**
 * The customer's latest delivery to this system, if it is dead: the row is found here, because a
 * form's row id is untrusted.
 */
export async function retryDelivery(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  channel: string,
): Promise<number> {
  const { sql } = dataOf(ctx, tenant);
  const person = await findPerson(sql, id);
  if (!person) throw new AppError("not_found");
  const row = (await sql<SystemRow>(newestDeliveries("$2"), [namesOnBus(person.account)])).find(
    (one) => one.channel === channel,
  );
  return row?.status === "dead_letter" ? (await replay(ctx, tenant, [row.event_id])).requeued : 0;
}
