// A mandate as AP2's mandates, signed with the key that the store's manifest publishes. Two exports of one
// mandate are one mandate to a verifier: the open mandates and the terms of a checkout are signed once
// and stored, so that their hashes, which AP2 tells payments apart by, never change.
import { isDeepStrictEqual } from "node:util";
import { CompactSign, decodeJwt } from "jose";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import {
  CHECKOUT_COLUMNS,
  toCheckout,
  type Checkout,
  type CheckoutRow,
} from "../../commerce/checkout/checkout.ts";
import type { Mandate } from "../../commerce/mandate.ts";
import { getMandate } from "../../commerce/mandates.ts";
import { mandateSigningKey, publicMandateKey } from "../../commerce/mandate-proof.ts";
import type { Person } from "../../identity/account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { discoveryAddresses } from "../public-address.ts";
import {
  AP2_VERSION,
  checkoutTerms,
  closedCheckoutMandate,
  closedPaymentMandate,
  merchantOf,
  openCheckoutMandate,
  openPaymentMandate,
  toSeconds,
} from "./mandate-content.ts";
import { chain, disclosing, sha256, signSdJwt, type Json } from "./sd-jwt.ts";

/** The newest; a mandate may have many. */
const MAX_CHECKOUTS = 10;

/** Whom a closed mandate is for, and what that verifier wants to find in it. */
export const ProofQuery = z.object({
  aud: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be an address or a name")
    .optional()
    .describe("Who checks the proof; the store when absent."),
  nonce: z
    .string()
    .regex(/^[\w.~-]{8,128}$/, "must be 8 to 128 letters, digits, or . _ ~ -")
    .optional()
    .describe("What that verifier gave for this proof."),
});
export type ProofQuery = z.output<typeof ProofQuery>;

type OpenMandates = { kid: string; checkout: string; payment: string };

/**
 * The proof names no person; `customerId` is for the access log. `person` null: a caller with the admin
 * key. Throws `not_found`, also for an agent that the mandate is not for.
 */
export async function exportProof(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
  query: ProofQuery,
) {
  const mandate = await getMandate(ctx, tenant, person, id);
  const open = await openMandates(ctx, tenant, mandate);
  const checkouts = await confirmedCheckouts(dataOf(ctx, tenant).sql, mandate, person);
  const proof = {
    ap2_version: AP2_VERSION,
    mandate_id: mandate.mandate_id,
    status: mandate.status,
    merchant: merchantOf(tenant),
    issuer: ctx.baseUrl,
    keys_url: discoveryAddresses(ctx.baseUrl, tenant).manifest,
    open: { checkout_mandate: open.checkout, payment_mandate: open.payment },
    checkouts: await Promise.all(
      checkouts.map((row) => proveCheckout(ctx, tenant, open, row, query)),
    ),
  };
  return { proof, customerId: mandate.customer_id };
}

// An agent confirms a checkout by completing it; before that nothing is agreed.
type StoredCheckout = CheckoutRow & { ap2_checkout: string | null };
const CONFIRMED = `
  SELECT ${CHECKOUT_COLUMNS}, ap2_checkout FROM checkout_sessions
  WHERE shop = $1 AND customer_id = $2 AND mandate_id = $3 AND (status = 'completed'
    OR status = 'complete_in_progress' AND expires_at > clock_timestamp())
    AND ($4::text IS NULL OR client_id IS NULL OR client_id = $4)
  ORDER BY created_at DESC, id LIMIT ${MAX_CHECKOUTS}`;

/** By the customer, whose checkouts have an index; an agent sees its own and the shopper's. */
const confirmedCheckouts = (
  sql: TenantSql,
  { customer_id: customerId, mandate_id: mandateId }: Mandate,
  person: Person | null,
): Promise<StoredCheckout[]> =>
  sql<StoredCheckout>(CONFIRMED, [customerId, mandateId, person?.clientId ?? null]);

// The first export writes it, a concurrent one waits for the row and finds it. A key that was replaced
// verifies nothing any more, so what it signed is made anew.
const STORE_OPEN = `
  UPDATE mandates SET ap2_mandates = $3::jsonb
  WHERE shop = $1 AND mandate_id = $2
    AND (ap2_mandates IS NULL OR ap2_mandates->>'kid' IS DISTINCT FROM $3::jsonb->>'kid')`;

async function openMandates(ctx: Ctx, tenant: Tenant, mandate: Mandate): Promise<OpenMandates> {
  const { sql } = dataOf(ctx, tenant);
  const known = await storedMandates(sql, mandate.mandate_id);
  const { kid } = publicMandateKey(ctx.config);
  if (known?.kid === kid) return known;
  const made = await signOpen(ctx, tenant, mandate);
  await sql(STORE_OPEN, [mandate.mandate_id, JSON.stringify(made)]);
  return (await storedMandates(sql, mandate.mandate_id)) ?? made;
}

export async function storedMandates(
  sql: TenantSql,
  mandateId: string,
): Promise<OpenMandates | null> {
  const [row] = await sql<{ ap2_mandates: OpenMandates | null }>(
    "SELECT ap2_mandates FROM mandates WHERE shop = $1 AND mandate_id = $2",
    [mandateId],
  );
  return row?.ap2_mandates ?? null;
}

async function signOpen(ctx: Ctx, tenant: Tenant, mandate: Mandate): Promise<OpenMandates> {
  const jwk = publicMandateKey(ctx.config);
  const sign = (build: (sd: ReturnType<typeof disclosing>) => Json): Promise<string> => {
    const sd = disclosing(ctx.random);
    const payload = {
      iss: ctx.baseUrl,
      jti: mandate.mandate_id,
      iat: toSeconds(mandate.created_at),
      delegate_payload: [sd.element(build(sd))],
    };
    const header = { typ: "mandate+sd-jwt", kid: jwk.kid };
    return signSdJwt(mandateSigningKey(ctx.config), header, payload, sd.disclosures);
  };
  const checkout = await sign((sd) => openCheckoutMandate(tenant, mandate, jwk, sd));
  const reference = sha256(checkout);
  const payment = await sign((sd) => openPaymentMandate(tenant, mandate, jwk, reference, sd));
  return { kid: jwk.kid, checkout, payment };
}

/** The closed mandates of one checkout, each chained to its open one. */
async function proveCheckout(
  ctx: Ctx,
  tenant: Tenant,
  open: OpenMandates,
  row: StoredCheckout,
  query: ProofQuery,
) {
  const checkout = toCheckout(row);
  const jwt = await signedTerms(ctx, tenant, checkout, row.ap2_checkout);
  const now = ctx.clock.now();
  const sign = (previous: string, build: (sd: ReturnType<typeof disclosing>) => Json) => {
    const sd = disclosing(ctx.random);
    const payload = {
      delegate_payload: [sd.element(build(sd))],
      iat: Math.floor(now.getTime() / 1_000),
      aud: query.aud ?? merchantOf(tenant).website,
      nonce: query.nonce ?? ctx.random.uuid(),
      sd_hash: sha256(previous),
    };
    const header = { typ: "kb+sd-jwt", kid: publicMandateKey(ctx.config).kid };
    return signSdJwt(mandateSigningKey(ctx.config), header, payload, sd.disclosures);
  };
  const hash = sha256(jwt);
  const [checkoutMandate, paymentMandate] = await Promise.all([
    sign(open.checkout, (sd) => closedCheckoutMandate(checkout, { jwt, hash }, now, sd)),
    sign(open.payment, () => closedPaymentMandate(tenant, checkout, hash, now)),
  ]);
  return {
    checkout_id: checkout.id,
    status: checkout.status,
    checkout_mandate: chain(open.checkout, checkoutMandate),
    payment_mandate: chain(open.payment, paymentMandate),
  };
}

const STORE_TERMS = `
  UPDATE checkout_sessions SET ap2_checkout = $3
  WHERE shop = $1 AND id = $2 AND ap2_checkout IS NOT DISTINCT FROM $4 RETURNING ap2_checkout`;

/** The merchant's signature over the checkout. Other terms, after an update, are another checkout. */
async function signedTerms(
  ctx: Ctx,
  tenant: Tenant,
  checkout: Checkout,
  stored: string | null,
): Promise<string> {
  const { kid } = publicMandateKey(ctx.config);
  const terms = checkoutTerms(tenant, checkout);
  if (stored !== null && isSameOffer(stored, terms, kid)) return stored;
  const jwt = await new CompactSign(Buffer.from(JSON.stringify(terms)))
    .setProtectedHeader({ alg: "ES256", typ: "JWT", kid })
    .sign(mandateSigningKey(ctx.config));
  const { sql } = dataOf(ctx, tenant);
  const written = await sql(STORE_TERMS, [checkout.id, jwt, stored]);
  if (written.length > 0) return jwt;
  // Another export was first.
  const [row] = await sql<{ ap2_checkout: string | null }>(
    "SELECT ap2_checkout FROM checkout_sessions WHERE shop = $1 AND id = $2",
    [checkout.id],
  );
  return row?.ap2_checkout ?? jwt;
}

const offerOf = ({ id, currency, line_items, totals, merchant }: Json) => ({
  id,
  currency,
  line_items,
  totals,
  merchant: (merchant as { id?: unknown }).id,
});

/** Its state, and the names of store and products' pages, may change without changing what was agreed. */
function isSameOffer(stored: string, terms: Json, kid: string): boolean {
  const [header = ""] = stored.split(".");
  const { kid: signedBy } = JSON.parse(Buffer.from(header, "base64url").toString()) as Json;
  return (
    signedBy === kid &&
    isDeepStrictEqual(
      offerOf(decodeJwt(stored)),
      offerOf(JSON.parse(JSON.stringify(terms)) as Json),
    )
  );
}
