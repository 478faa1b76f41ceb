// Channel `erp_generic`: sends an event as JSON in the shape of the store's own mapping to the
// store's ERP at `/generic/{entity_type}` (SPEC "Backend task rules").
import type { Ctx } from "../../../context.server.ts";
import type { ErpAccess } from "../../../integrations/erp.ts";
import {
  isListedOrConfigured,
  PermanentFailure,
  type Channel,
  type DeliveryMessage,
  type QueueItem,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { findMapping, StoredMapping, type Mapping } from "../../events/mappings.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { pathNamedBy, probeErp, requireErp } from "./access.ts";
import { applyMapping } from "./field-mapping.ts";
import { findPresentCustomer, findUserId } from "../item-customer.ts";
import { GONE, isNothing, nothingToSend, skipOf } from "../nothing-to-send.ts";
import type { Fields } from "../payload-fields.ts";

const NAME = "erp_generic";

export const erpGenericChannel: Channel = {
  name: NAME,
  needs: ["erp_base_url"],
  credentialsKey: "erp_password",
  marketing: false,
  requiresConsent: null,
  isDestination: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, erpGenericChannel),
  async transform(ctx, tenant, item) {
    requireErp(tenant, item, NAME);
    const endpoint = `/generic/${item.entityType}`;
    const mapping = await requireMapping(ctx, tenant, item);
    const payload = await readPayload(ctx, tenant, item);
    if (!payload) return nothingToSend(endpoint, GONE.skipped);
    const envelope = {
      event_id: item.eventId,
      source: item.source,
      event_type: item.eventType,
      entity_type: item.entityType,
      entity_id: item.entityId,
      tenant_shop: item.shop,
      timestamp: item.occurredAt.toISOString(),
      received_at: item.createdAt.toISOString(),
      priority: item.priority,
      payload,
    };
    return {
      transformed_payload: applyMapping(mapping, envelope),
      delivery_config: { method: "POST", endpoint, credentials_key: "erp_password" },
    };
  },
  async deliver(ctx, tenant, item, message) {
    const access = requireErp(tenant, item, NAME);
    if (isNothing(message)) return skipOf(message);
    const answer = await ctx.erp.post(access, {
      path: pathOf(item, message, access),
      contentType: "application/json",
      body: JSON.stringify(message.transformed_payload),
      idempotencyKey: `${item.eventId}:${NAME}`,
    });
    return { httpStatus: answer.status };
  },
  probe: (ctx, tenant) => probeErp(ctx, tenant, NAME),
};

function pathOf({ entityType }: QueueItem, message: DeliveryMessage, access: ErpAccess): string {
  const { endpoint } = message.delivery_config;
  if (entityType !== "") return `/generic/${entityType}`;
  return /^\/generic\/[a-z_]{1,40}$/.test(endpoint) ? endpoint : pathNamedBy(message, access);
}

async function requireMapping(ctx: Ctx, tenant: Tenant, item: QueueItem): Promise<Mapping> {
  const stored = await findMapping(dataOf(ctx, tenant), NAME, item.entityType);
  const name = `${NAME}/${item.entityType}`;
  if (!stored) throw new PermanentFailure(OWN_FAILURES.mappingMissing.text(name));
  const mapping = StoredMapping.safeParse(stored.mapping);
  if (!mapping.success)
    throw new PermanentFailure(
      OWN_FAILURES.mappingInvalid.text(name, mapping.error.issues[0]?.message ?? ""),
    );
  return mapping.data;
}

/**
 * The event's own fields take precedence over our record of the customer. Null when the customer is
 * deleted here.
 */
async function readPayload(ctx: Ctx, tenant: Tenant, item: QueueItem): Promise<Fields | null> {
  if (item.entityType !== "customer") return item.payload;
  const userId = await findUserId(ctx, tenant, item);
  if (userId === null) return item.payload;
  const customer = await findPresentCustomer(ctx, tenant, userId);
  return customer && { ...toFields(customer), ...item.payload };
}

const toFields = (customer: CustomerSnapshot): Fields => ({
  email: customer.email,
  full_name: customer.full_name,
  first_name: customer.first_name,
  last_name: customer.last_name,
  status: customer.status,
  language_pref: customer.language_pref,
  country: customer.country,
  tags: customer.tags,
  number_of_orders: customer.number_of_orders,
  amount_spent: customer.amount_spent,
  storefront_customer_gid: customer.storefront_customer_gid,
  consents: customer.consents,
});
