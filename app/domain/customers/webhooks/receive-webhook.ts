// Stores a webhook in the inbox before the response. The platform waits 5 s, retries 8 times and then deletes the
// subscription, so the request only verifies the signature and stores one row.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, WebhookInbox } from "../../../db.server.ts";
import { batchColumns } from "../../../runtime/database/batch-columns.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import { activeTraceParent } from "../../../runtime/telemetry/tracing.ts";
import type { WebhookTopic } from "../../tenants/storefront/webhook-topics.ts";
import {
  currentShops,
  assertCurrentInRegion,
  StaleTenantError,
  versionValues,
  type Tenant,
} from "../../tenants/tenant.ts";
import { identityKey, type DeliveryIdentity } from "./delivery-identity.ts";

type Arrival = DeliveryIdentity & {
  tenant: Tenant;
  topic: WebhookTopic;
  body: string;
  triggeredAt: Date | null;
  traceParent: string | null;
};

const ARRIVALS = batchColumns<Arrival>({
  shop: ["text", ({ tenant }) => tenant.shop],
  delivery_id: ["text", ({ deliveryId }) => deliveryId],
  topic: ["text", ({ topic }) => topic],
  storefront_event_id: ["text", ({ storefrontEventId }) => storefrontEventId],
  body: ["text", ({ body }) => body],
  triggered_at: ["timestamptz", ({ triggeredAt }) => triggeredAt],
  trace_parent: ["text", ({ traceParent }) => traceParent],
});

// Sorted, so that two batches with the same deliveries in another order wait for each other instead
// of deadlocking. Safe to repeat: a known delivery or event adds nothing.
const insertInto = (region: string) => `
  WITH current AS (${currentShops(region, "$1", "$2", "$3")}),
  arrived AS (
    SELECT DISTINCT ON (shop, identity) *
      FROM unnest(${ARRIVALS.arrays(4)}) WITH ORDINALITY AS a(${ARRIVALS.names}, place),
      LATERAL (SELECT CASE WHEN storefront_event_id IS NULL THEN 'delivery ' || delivery_id
        ELSE 'event ' || topic || ' ' || storefront_event_id END AS identity) AS known_by
    WHERE shop IN (SELECT shop FROM current)
    ORDER BY shop, identity, place
  ),
  stored AS (
    INSERT INTO webhook_inbox (${ARRIVALS.names})
    SELECT ${ARRIVALS.names} FROM arrived
    ORDER BY shop, identity
    ON CONFLICT DO NOTHING
    RETURNING shop, delivery_id, topic, storefront_event_id
  )
  SELECT current.shop, stored.delivery_id, stored.topic, stored.storefront_event_id FROM current
    LEFT JOIN stored ON stored.shop = current.shop`;

type Received = "new" | "known" | "stale_tenant";
/** All fields but the shop are null for a current shop without a stored delivery. */
type StoredRow = Columns<WebhookInbox, "shop" | "delivery_id" | "topic" | "storefront_event_id">;

const inboxes = new WeakMap<Database, GroupCommit<Arrival, Received>>();

function inboxOf(database: Database): GroupCommit<Arrival, Received> {
  const known = inboxes.get(database);
  if (known) return known;
  const statement = insertInto(database.region);
  const made = createGroupCommit<Arrival, Received>(async (batch) => {
    const rows = await database.acrossTenants<StoredRow>(
      statement,
      [...versionValues(batch.map((arrival) => arrival.tenant)), ...ARRIVALS.values(batch)],
      `receive_webhook_${database.region}`,
    );
    const current = new Set(rows.map((row) => row.shop));
    // When one batch contains a delivery twice, the first counts as new.
    const stored = new Set(
      rows.map(({ shop, delivery_id: deliveryId, storefront_event_id: storefrontEventId, topic }) =>
        identityKey(shop, { deliveryId, storefrontEventId, topic }),
      ),
    );
    return batch.map((arrival) => {
      const { shop } = arrival.tenant;
      if (stored.delete(identityKey(shop, arrival))) return "new";
      return current.has(shop) ? "known" : "stale_tenant";
    });
  });
  inboxes.set(database, made);
  return made;
}

/**
 * Resolves once the delivery is committed. A repeated delivery is `false` and changes nothing.
 * Throws StaleTenantError.
 */
export async function receiveWebhook(
  ctx: Ctx,
  tenant: Tenant,
  arrival: Omit<Arrival, "tenant" | "traceParent">,
): Promise<boolean> {
  await assertCurrentInRegion(ctx, tenant);
  const received = await inboxOf(ctx.regions.get(tenant.region)).add({
    ...arrival,
    tenant,
    traceParent: activeTraceParent(),
  });
  if (received === "stale_tenant") throw new StaleTenantError();
  return received === "new";
}
