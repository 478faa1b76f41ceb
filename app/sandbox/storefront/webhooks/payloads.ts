/**
 * Webhook bodies as raw JSON text, in the platform's own shapes (shopify.dev "Webhooks" reference,
 * 2026-07 and 2024-10).
 * Numeric ids are written digit by digit: through a JavaScript number those above 2^53 would change.
 */
import { customerIdOf } from "../customers.ts";
import { isWithheld } from "../graphql/protected-data.ts";
import type { Customer, ShopState } from "../state.ts";
import { primaryHostOf, timeZoneOf } from "../state.ts";

export type PayloadVersion = "2026-07" | "2024-10";

// JSON.rawJSON is in Node 22 and later, but not yet in TypeScript's own library.
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

export type PayloadSubject = {
  shop: ShopState;
  customer?: Customer | undefined;
  version: PayloadVersion;
  tags?: string[];
};

export function buildPayload(topic: string, subject: PayloadSubject): string {
  return JSON.stringify(shopShape(topic, subject.shop) ?? customerShape(topic, subject));
}

const shopFields = ({ id, domain }: ShopState) => ({ shop_id: rawJSON(id), shop_domain: domain });

/** Null for a topic about a customer. */
function shopShape(topic: string, shop: ShopState): object | null {
  switch (topic) {
    case "shop/redact":
      return shopFields(shop);
    case "app/uninstalled":
    case "shop/update":
      return restShop(shop);
    case "app/scopes_update":
      return {
        id: rawJSON(shop.id),
        previous: [],
        current: shop.grantedScope.split(","),
        updated_at: new Date().toISOString(),
      };
    default:
      return null;
  }
}

function customerShape(topic: string, { shop, customer, version, tags }: PayloadSubject): object {
  if (!customer) throw new Error(`A webhook of topic ${topic} needs a customer gid or a payload`);
  const id = rawJSON(customerIdOf(customer.gid));
  const identity = { id, email: customer.email, phone: customer.phone };
  const now = new Date().toISOString();
  switch (topic) {
    case "customers/create":
    case "customers/update":
    case "customers/enable":
    case "customers/disable":
      return restCustomer(shop, customer, version);
    case "customers/delete":
      return { id, tax_exemptions: [], admin_graphql_api_id: customer.gid };
    case "customer.tags_added":
    case "customer.tags_removed":
      return { customerId: customer.gid, tags: tags ?? customer.tags, occurredAt: now };
    case "customers/purchasing_summary":
      return {
        customerId: customer.gid,
        numberOfOrders: rawJSON(customer.numberOfOrders),
        amountSpent: { amount: customer.amountSpent, currencyCode: shop.currencyCode },
        lastOrderId: null,
        occurredAt: now,
      };
    case "customers_email_marketing_consent/update":
      return {
        customer_id: id,
        email_address: customer.email,
        email_marketing_consent: emailConsent(customer),
      };
    case "customers_marketing_consent/update":
      return {
        id,
        phone: customer.phone,
        sms_marketing_consent: { ...smsConsent(customer), consent_collected_from: "other" },
      };
    case "customers/data_request":
      return {
        ...shopFields(shop),
        orders_requested: [],
        customer: identity,
        data_request: { id: rawJSON(String(Date.now())) },
      };
    case "customers/redact":
      return { ...shopFields(shop), customer: identity, orders_to_redact: [] };
    default:
      throw new Error(`No built-in payload for topic ${topic}: pass the payload itself`);
  }
}

/** The REST representation of the shop, also what shop.json wraps. */
export function restShop(shop: ShopState): Record<string, unknown> {
  return {
    id: rawJSON(shop.id),
    name: shop.name,
    email: shop.email,
    domain: primaryHostOf(shop),
    myshopify_domain: shop.domain,
    currency: shop.currencyCode,
    country_code: shop.countryCode,
    plan_name: "partner_test",
    iana_timezone: timeZoneOf(shop),
  };
}

function restCustomer(
  shop: ShopState,
  customer: Customer,
  version: PayloadVersion,
): Record<string, unknown> {
  const id = rawJSON(customerIdOf(customer.gid));
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(" ");
  return {
    id,
    created_at: restTime(customer.createdAt),
    updated_at: restTime(customer.updatedAt),
    first_name: customer.firstName,
    last_name: customer.lastName,
    ...(version === "2024-10" && { orders_count: rawJSON(customer.numberOfOrders) }),
    state: customer.state.toLowerCase(),
    ...(version === "2024-10" && {
      total_spent: Number(customer.amountSpent).toFixed(2),
      last_order_id: null,
    }),
    note: customer.note,
    verified_email: customer.verifiedEmail,
    multipass_identifier: null,
    tax_exempt: false,
    ...(version === "2024-10" && { tags: customer.tags.join(", "), last_order_name: null }),
    email: customer.email,
    phone: customer.phone,
    currency: shop.currencyCode,
    addresses: [],
    tax_exemptions: [],
    ...(version === "2024-10" && {
      email_marketing_consent: customer.email === null ? null : emailConsent(customer),
      sms_marketing_consent:
        customer.phone === null
          ? null
          : { ...smsConsent(customer), consent_collected_from: "OTHER" },
    }),
    admin_graphql_api_id: customer.gid,
    ...(isWithheld(shop, "address") && { default_address: null }),
    ...(customer.countryCode !== null && {
      default_address: {
        id: rawJSON(`${customerIdOf(customer.gid).slice(0, -1)}7`),
        customer_id: id,
        first_name: customer.firstName,
        last_name: customer.lastName,
        company: null,
        address1: null,
        address2: null,
        city: null,
        province: null,
        country: customer.countryCode,
        zip: null,
        phone: customer.phone,
        name,
        province_code: null,
        country_code: customer.countryCode,
        country_name: customer.countryCode,
        default: true,
      },
    }),
  };
}

function emailConsent(customer: Customer): Record<string, unknown> {
  return {
    state: customer.emailMarketingState.toLowerCase(),
    opt_in_level: customer.emailMarketingState === "SUBSCRIBED" ? "single_opt_in" : null,
    consent_updated_at:
      customer.emailMarketingUpdatedAt === null ? null : restTime(customer.emailMarketingUpdatedAt),
  };
}

function smsConsent(customer: Customer): Record<string, unknown> {
  return {
    state: customer.smsMarketingState.toLowerCase(),
    opt_in_level: customer.smsMarketingState === "SUBSCRIBED" ? "single_opt_in" : null,
    consent_updated_at:
      customer.smsMarketingUpdatedAt === null ? null : restTime(customer.smsMarketingUpdatedAt),
  };
}

/**
 * Shop-local time with an offset, as the REST shapes have it: the same instant as updatedAt in another
 * format.
 */
function restTime(iso: string): string {
  const offsetHours = 5;
  return new Date(Date.parse(iso) - offsetHours * 3_600_000)
    .toISOString()
    .replace(/\.\d+Z$/, "-05:00");
}
