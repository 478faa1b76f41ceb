// Channel `erpsys`: a customer is a business partner, an order a sales order, an invoice a billing
// document, as OData JSON or XML (SPEC "Backend task rules").
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
import type { Tenant } from "../../tenants/tenant.ts";
import { pathNamedBy, probeErp, requireErp } from "./access.ts";
import {
  ENTITY_SETS,
  numberOf,
  requireOrganisation,
  toBillingDocument,
  toBusinessPartner,
  toSalesOrder,
  toXml,
  type ErpNode,
  type Party,
} from "./documents.ts";
import { findPresentCustomer, findUserId, readPerson } from "../item-customer.ts";
import { GONE, isNothing, nothingToSend, skipOf, UNKNOWN } from "../nothing-to-send.ts";
import { fieldsOf, firstText } from "../payload-fields.ts";

export const erpsysChannel: Channel = {
  name: "erpsys",
  needs: ["erp_base_url"],
  credentialsKey: "erp_password",
  marketing: false,
  requiresConsent: null,
  isDestination: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, erpsysChannel),
  async transform(ctx, tenant, item) {
    requireErp(tenant, item, "erpsys");
    const entitySet = ENTITY_SETS[item.entityType];
    if (!entitySet)
      throw new PermanentFailure(
        OWN_FAILURES.entityRefused.text(
          "erpsys",
          "customers, orders and invoices",
          item.entityType,
        ),
      );
    const endpoint = `/${entitySet}`;
    if (item.entityType === "customer") return toPartnerMessage(ctx, tenant, item, endpoint);
    const organisation = requireOrganisation(item.payload, tenant.config.erp_defaults);
    const build = item.entityType === "order" ? toSalesOrder : toBillingDocument;
    return toMessage(endpoint, build(organisation, item));
  },
  async deliver(ctx, tenant, item, message) {
    const access = requireErp(tenant, item, "erpsys");
    if (isNothing(message)) return skipOf(message);
    const path = pathOf(item, message, access);
    const isXml = tenant.config.erp_format === "xml";
    const answer = await ctx.erp.post(access, {
      path,
      contentType: isXml ? "application/xml" : "application/json",
      body: isXml
        ? toXml(path.split("/").at(-1) || "Document", message.transformed_payload)
        : JSON.stringify(message.transformed_payload),
      idempotencyKey: `${item.eventId}:erpsys`,
    });
    return { httpStatus: answer.status };
  },
  probe: (ctx, tenant) => probeErp(ctx, tenant, "erpsys"),
};

const toMessage = (endpoint: string, document: ErpNode): DeliveryMessage => ({
  transformed_payload: document,
  delivery_config: { method: "POST", endpoint, credentials_key: "erp_password" },
});

async function toPartnerMessage(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  endpoint: string,
): Promise<DeliveryMessage> {
  const userId = await findUserId(ctx, tenant, item);
  const customer = userId === null ? null : await findPresentCustomer(ctx, tenant, userId);
  if (userId !== null && !customer) return nothingToSend(endpoint, GONE.skipped);
  const party = toParty(item, customer);
  if (!party.firstName && !party.lastName && !party.company && !party.email)
    return nothingToSend(endpoint, UNKNOWN.skipped);
  return toMessage(
    endpoint,
    toBusinessPartner(
      requireOrganisation(item.payload, tenant.config.erp_defaults),
      item.eventId,
      party,
    ),
  );
}

/** The event's own fields take precedence over our record, because they are newer. */
function toParty(item: QueueItem, customer: CustomerSnapshot | null): Party {
  const { payload, entityId } = item;
  const address = fieldsOf(payload.default_address ?? payload.address);
  const number =
    customer?.storefront_customer_gid ??
    (customer && readPerson(item).userId === customer.id ? `user-${customer.id}` : entityId);
  const firstName = firstText(payload, "first_name") ?? customer?.first_name ?? null;
  const lastName = firstText(payload, "last_name") ?? customer?.last_name ?? null;
  return {
    number: numberOf(number).slice(0, 20),
    firstName,
    lastName: lastName ?? (firstName ? null : firstText(payload, "full_name", "name")),
    company: firstText(payload, "company") ?? firstText(address, "company"),
    email: firstText(payload, "email") ?? customer?.email ?? null,
    phone: firstText(payload, "phone"),
    language: firstText(payload, "locale", "language") ?? customer?.language_pref ?? null,
    address:
      Object.keys(address).length === 0 && customer?.country
        ? { country_code: customer.country }
        : address,
  };
}

function pathOf(item: QueueItem, message: DeliveryMessage, access: ErpAccess): string {
  const entitySet = ENTITY_SETS[item.entityType];
  return entitySet ? `/${entitySet}` : pathNamedBy(message, access);
}
