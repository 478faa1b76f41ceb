// A mandate and a checkout in the words of AP2 0.2 (ap2-protocol.org, code/sdk/schemas/ap2). An open
// mandate says what may be spent; a closed one binds it to a checkout. None of them names the shopper.
import type { Checkout } from "../../commerce/checkout/checkout.ts";
import type { Mandate } from "../../commerce/mandate.ts";
import type { PublicMandateKey } from "../../commerce/mandate-proof.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toMinorUnits } from "../minor-units.ts";
import { toUcpCheckout } from "../ucp/checkouts.ts";
import { envelope } from "../ucp/envelope.ts";
import { UCP_VERSIONS } from "../ucp/profile.ts";
import type { disclosing, Json } from "./sd-jwt.ts";

export const AP2_VERSION = "0.2.0";
export const OPEN_CHECKOUT = "mandate.checkout.open.1";
export const CLOSED_CHECKOUT = "mandate.checkout.1";
export const OPEN_PAYMENT = "mandate.payment.open.1";
export const CLOSED_PAYMENT = "mandate.payment.1";

type Disclosing = ReturnType<typeof disclosing>;

/** A checkout has at most this many of all items together. */
const ANY_QUANTITY = 100_000;

export const toSeconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

export const merchantOf = (tenant: Tenant) => ({
  id: tenant.shop,
  name: tenant.config.brand_name ?? tenant.shop,
  website: `https://${tenant.shop}`,
});

/** Times of a mandate and the key that closes it: the service's own, because it closes mandates itself. */
const lifeOf = (mandate: Mandate, key: PublicMandateKey) => {
  const { kty, crv, x, y } = key;
  return {
    cnf: { jwk: { kty, crv, x, y } },
    iat: toSeconds(mandate.created_at),
    exp: toSeconds(mandate.expires_at),
  };
};

/**
 * AP2 cannot express a collection or a whole product. Such a scope is written as an item id that no variant has,
 * so a verifier that does not know our scopes rejects every item. No item means any item, as in AP2's own verifier.
 */
const itemsIn = (scope: string) =>
  scope === "all" ? [] : [{ id: scope, title: `The store's scope ${scope}` }];

export function openCheckoutMandate(
  tenant: Tenant,
  mandate: Mandate,
  key: PublicMandateKey,
  sd: Disclosing,
): Json {
  return {
    vct: OPEN_CHECKOUT,
    constraints: [
      {
        type: "checkout.line_items",
        items: [
          {
            id: "scope",
            acceptable_items: itemsIn(mandate.scope).map(sd.element),
            quantity: ANY_QUANTITY,
          },
        ],
      },
      { type: "checkout.allowed_merchants", allowed: [sd.element(merchantOf(tenant))] },
    ],
    ...lifeOf(mandate, key),
  };
}

/** `reference`: the hash of the open checkout mandate. */
export function openPaymentMandate(
  tenant: Tenant,
  mandate: Mandate,
  key: PublicMandateKey,
  reference: string,
  sd: Disclosing,
): Json {
  const { currency, max_amount: max } = mandate;
  return {
    vct: OPEN_PAYMENT,
    constraints: [
      { type: "payment.amount_range", currency, max: toMinorUnits(max, currency) },
      // AP2 counts a budget in the currency's own unit.
      ...(mandate.usage === "multi"
        ? [
            { type: "payment.agent_recurrence", frequency: "ON_DEMAND" },
            { type: "payment.budget", max: Number(max), currency },
          ]
        : []),
      { type: "payment.allowed_payees", allowed: [sd.element(merchantOf(tenant))] },
      { type: "payment.reference", conditional_transaction_id: reference },
    ],
    ...lifeOf(mandate, key),
  };
}

/** UCP's checkout with its merchant: what is bought, without who buys it and where it is paid. */
export function checkoutTerms(tenant: Tenant, checkout: Checkout): Json {
  const { id, status, currency, line_items, totals, links, expires_at } = toUcpCheckout(
    tenant,
    checkout,
  );
  const terms = { version: UCP_VERSIONS[0], capabilities: [] };
  return {
    ...envelope(terms, []),
    merchant: merchantOf(tenant),
    id,
    status,
    currency,
    line_items,
    totals,
    links,
    expires_at,
  };
}

const lifeOfClosed = (now: Date, expiresAt: string) => ({
  iat: Math.floor(now.getTime() / 1_000),
  exp: toSeconds(expiresAt),
});

export function closedCheckoutMandate(
  { expires_at }: Checkout,
  signed: { jwt: string; hash: string },
  now: Date,
  sd: Disclosing,
): Json {
  return {
    vct: CLOSED_CHECKOUT,
    _sd: [sd.claim("checkout_jwt", signed.jwt)],
    checkout_hash: signed.hash,
    ...lifeOfClosed(now, expires_at),
  };
}

export function closedPaymentMandate(
  tenant: Tenant,
  { totals, currency, expires_at }: Checkout,
  transactionId: string,
  now: Date,
): Json {
  return {
    vct: CLOSED_PAYMENT,
    transaction_id: transactionId,
    payee: merchantOf(tenant),
    payment_amount: { amount: toMinorUnits(totals.total, currency), currency },
    // The service holds no payment: the shopper pays in the store's own checkout.
    payment_instrument: {
      id: "storefront-checkout",
      type: "storefront_checkout",
      description: "Paid by the shopper in the store's checkout",
    },
    ...lifeOfClosed(now, expires_at),
  };
}
