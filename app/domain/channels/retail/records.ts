// The record for both retail-measurement partners (SPEC "Backend task rules"): only with the
// customer's consent to `analytics_partners`; the customer as the hash of the address without other
// personal data; products by their UPC.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { ConsentMissing, PermanentFailure, type QueueItem } from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { findUpcs } from "../../events/upc-mappings.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { findPresentCustomer, findUserId } from "../item-customer.ts";
import {
  decimalOf,
  firstText,
  listOf,
  multiply,
  ownField,
  type Fields,
} from "../payload-fields.ts";

export const RETAIL_CONSENT = "analytics_partners";

/**
 * Amounts are decimal texts: `amount` is `unit_price` times `quantity`, before discounts and tax.
 */
type RetailItem = {
  upc: string;
  quantity: string;
  unit_price: string | null;
  amount: string | null;
};
export type RetailRecord = {
  event_id: string;
  event_type: string;
  occurred_at: string;
  email_sha256: string;
  order_id: string | null;
  currency: string | null;
  items: RetailItem[];
};

/**
 * Null when there is nothing to send: no address to hash, or an order without a product. Throws
 * ConsentMissing, and PermanentFailure naming an unmapped SKU.
 */
export async function buildRetailRecord(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
): Promise<RetailRecord | null> {
  const { email } = await requireConsent(ctx, tenant, item);
  if (!email) return null;
  const { payload } = item;
  const lines = listOf(ownField(payload, "line_items") ?? ownField(payload, "items"));
  const isSale = item.entityType === "order" || item.entityType === "invoice";
  const items = isSale ? await toItems(ctx, tenant, lines) : [];
  if (isSale && items.length === 0) return null;
  return {
    event_id: item.eventId,
    event_type: item.eventType,
    occurred_at: item.occurredAt.toISOString(),
    email_sha256: hash("sha256", email.trim().toLowerCase()),
    order_id: isSale
      ? (firstText(payload, "name", "order_number", "number") ?? item.entityId)
      : null,
    currency: isSale ? firstText(payload, "currency", "currency_code") : null,
    items,
  };
}

/** The latest consent record by the server's order counts; an unknown person has not consented. */
async function requireConsent(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
): Promise<CustomerSnapshot> {
  const userId = await findUserId(ctx, tenant, item);
  const customer = userId === null ? null : await findPresentCustomer(ctx, tenant, userId);
  if (!customer) throw new ConsentMissing(RETAIL_CONSENT);
  const last = await dataOf(ctx, tenant).prisma.consentRecord.findFirst({
    select: { action: true },
    where: { user_id: customer.id, consent_type: RETAIL_CONSENT },
    orderBy: { seq: "desc" },
  });
  if (last?.action !== "granted") throw new ConsentMissing(RETAIL_CONSENT);
  return customer;
}

/** A line without a SKU (a tip, gift wrapping) is not a product and is left out. */
async function toItems(ctx: Ctx, tenant: Tenant, lines: readonly Fields[]): Promise<RetailItem[]> {
  const products = lines.flatMap((line) => {
    const sku = firstText(line, "sku");
    return sku === null ? [] : [{ sku, line }];
  });
  const skus = [...new Set(products.map(({ sku }) => sku))];
  const upcs = await findUpcs(dataOf(ctx, tenant).prisma, skus);
  const unmapped = skus.filter((sku) => !upcs.has(sku));
  if (unmapped.length > 0) throw new PermanentFailure(OWN_FAILURES.productsUnknown.text(unmapped));
  return products.map(({ sku, line }) => {
    const quantity = decimalOf(ownField(line, "quantity")) ?? "1";
    const price = decimalOf(ownField(line, "price"));
    return {
      upc: upcs.get(sku) as string,
      quantity,
      unit_price: price,
      amount: price !== null && /^-?\d+$/.test(quantity) ? multiply(price, quantity) : null,
    };
  });
}
