// Channel `flow`: sends an event's triggers to Shopify Flow, one call each (flow/flow-triggers.ts). The
// platform has no idempotency key for them, so the bus keeps how far an event came:
//
//   begun (written before the call) -> sent (the next call is begun, or the row is settled)
//                                   -> failed (the bus repeats this call, and makes those after it)
//
// A worker that dies during a call leaves it `begun`: the platform almost always has the request then,
// and a workflow that runs twice is worse than one that is missing. It counts as sent.
import type { Ctx } from "../../context.server.ts";
import { FLOW_TRIGGER_RECEIVE } from "../../integrations/storefront/documents.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import {
  Deferred,
  FLOW_CHANNEL,
  isConfigured,
  PermanentFailure,
  type Channel,
  type DeliveryResult,
  type QueueItem,
} from "../bus/channel.ts";
import { SENT_EARLIER } from "../bus/outcome.ts";
import type { CustomerSnapshot } from "../customers/customer-snapshot.ts";
import {
  flowHandle,
  isAboutCustomer,
  toFlowPayload,
  toFlowTriggers,
} from "../flow/flow-triggers.ts";
import { isConnected } from "../tenants/store-access.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findItemCustomer } from "./item-customer.ts";
import { isNothing, nothingForMissing, nothingToSend, skipOf } from "./nothing-to-send.ts";
import { refuseWithoutInstall } from "./storefront/storefront.ts";

const ENDPOINT = "/admin/api/graphql.json";
/** The limit of the platform. */
const MAX_PAYLOAD_BYTES = 50_000;
/** How long a trigger waits for a new account to become a customer of the store. */
const MAX_WAIT_MS = 10 * 60_000;
const MIN_DELAY_MS = 1_000;

/** `begunBy`: the number of failures of the row when the call of trigger `next` began. */
type Progress = { next: number; begunBy: number | null };

type Call = { handle: string; payload: Record<string, unknown> };

export const flowChannel: Channel = {
  name: FLOW_CHANNEL,
  needs: ["flow_enabled"],
  needsStoreAccess: true,
  credentialsKey: "storefront_admin_token",
  marketing: false,
  requiresConsent: null,
  isDestination: false,
  // Only for stores that switched it on (docs/decisions/038).
  alsoReceives: ["tag_change"],
  isEnabled: (tenant) => isConfigured(tenant, flowChannel) && isConnected(tenant),
  async transform(ctx, tenant, item) {
    if (!tenant.config.flow_enabled)
      throw new PermanentFailure("triggers of Shopify Flow are not enabled for this store");
    const triggers = toFlowTriggers(item.eventType, item.payload);
    if (triggers.length === 0) return nothingToSend(ENDPOINT, "the event has no trigger");
    const customer = triggers.some(({ name }) => isAboutCustomer(name))
      ? await findItemCustomer(ctx, tenant, item)
      : null;
    if (!customer && triggers.some(({ name }) => isAboutCustomer(name)))
      return nothingForMissing(item, ENDPOINT);
    const gid = customer && storeCustomerOf(ctx, item, customer);
    if (customer && gid === null)
      return nothingToSend(ENDPOINT, "the person is no customer of the store");
    const calls = triggers.map((trigger, index): Call => {
      const changeId = `${item.eventId}:${index}`;
      return {
        handle: flowHandle(trigger.name),
        payload: toFlowPayload(trigger, { gid, changeId }),
      };
    });
    if (calls.some(({ payload }) => byteLength(payload) > MAX_PAYLOAD_BYTES))
      throw new PermanentFailure(`a trigger is larger than ${MAX_PAYLOAD_BYTES} bytes`);
    return {
      transformed_payload: { triggers: calls },
      delivery_config: {
        method: "POST",
        endpoint: ENDPOINT,
        credentials_key: "storefront_admin_token",
      },
    };
  },
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    const { triggers } = message.transformed_payload as { triggers: Call[] };
    return sendAll(ctx, tenant, item, triggers);
  },
};

const byteLength = (payload: object): number => Buffer.byteLength(JSON.stringify(payload));

/**
 * The customer's gid; null for a person who is none of the store. A new account becomes one shortly,
 * by the row of the channel `storefront`: throws Deferred meanwhile.
 */
function storeCustomerOf(ctx: Ctx, item: QueueItem, customer: CustomerSnapshot): string | null {
  const { storefront_customer_gid: gid, email } = customer;
  const waitedMs = ctx.clock.now().getTime() - item.createdAt.getTime();
  if (gid === null && email && waitedMs < MAX_WAIT_MS)
    throw new Deferred(
      "the store does not have the customer yet",
      Math.max(MIN_DELAY_MS, waitedMs),
    );
  return gid;
}

async function sendAll(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  calls: readonly Call[],
): Promise<DeliveryResult> {
  const { sql } = dataOf(ctx, tenant);
  const key = KEYS.flowProgress(item.eventId);
  const save = (progress: Progress) => putKey(sql, key, progress, TTL_SECONDS.flowProgress);
  const known = (await findKey<Progress>(sql, key))?.value;
  // No failure was counted since this call began, so its worker died: the trigger counts as sent.
  const isLost = known !== undefined && known.begunBy === item.retryCount;
  let sent = 0;
  for (let next = (known?.next ?? 0) + (isLost ? 1 : 0); next < calls.length; next += 1) {
    try {
      await sendOne(ctx, tenant, calls[next] as Call, (state) =>
        save({ next, begunBy: state === "sending" ? item.retryCount : null }),
      );
    } catch (error) {
      await save({ next, begunBy: null });
      throw error;
    }
    sent += 1;
  }
  return sent > 0 ? { httpStatus: 200 } : { httpStatus: null, skipped: SENT_EARLIER };
}

async function sendOne(
  ctx: Ctx,
  tenant: Tenant,
  { handle, payload }: Call,
  onAttempt: (state: "sending" | "refused") => Promise<void>,
): Promise<void> {
  type Answer = { flowTriggerReceive?: { userErrors?: UserError[] } | null };
  const { flowTriggerReceive } = await callAdminApi<Answer>(ctx, tenant.shop, {
    document: FLOW_TRIGGER_RECEIVE,
    variables: { handle, payload },
    onAttempt,
  }).catch(refuseWithoutInstall);
  requireNoUserErrors("flowTriggerReceive", flowTriggerReceive?.userErrors);
}
