// Mandates that the store's own key signed, though the store never made them so: what a stolen key, or a
// fault of ours, could bring before the check.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mandateSigningKey } from "../../../app/domain/commerce/mandate-proof.ts";
import {
  act,
  itemsOf,
  makeCheckout,
  newMandate,
  newPayer,
  seedProducts,
} from "../../support/agents/checkout.ts";
import {
  check,
  encode,
  failures,
  forge,
  proofOf,
  publishedKey,
  readToken,
  sha256,
  tokensOf,
} from "../../support/agents/proofs.ts";
import { startService, type Service } from "../../support/service.ts";

let service: Service;
let checkoutId: string;
let openPayment: string;
let openCheckout: string;
let closedPayment: string;
let closedCheckout: string;
let readable: (token: string) => Promise<any>;

beforeAll(async () => {
  service = await startService({ background: true });
  const shelf = await seedProducts(service);
  const shopper = await newPayer(service);
  const mandate = await newMandate(service, shopper, { usage: "multi" });
  const body = { line_items: itemsOf(shelf.camera, 1), mandate_id: mandate };
  ({ id: checkoutId } = (await makeCheckout(service, shopper, body)).json);
  await act(service, shopper, checkoutId, "complete");
  const proof = (await proofOf(service, mandate, shopper.token)).json;
  [openPayment = "", closedPayment = ""] = tokensOf(proof.checkouts[0].payment_mandate);
  [openCheckout = "", closedCheckout = ""] = tokensOf(proof.checkouts[0].checkout_mandate);
  const key = await publishedKey(service);
  readable = async (token) => (await readToken(token, key)).mandate;
});
afterAll(() => service.stop());

/** The token with another mandate in it, signed by the store's key. */
async function signed(token: string, change: (mandate: any) => object): Promise<string> {
  const mandate = change(await readable(token));
  return forge(
    token,
    { disclosures: [], payload: (payload) => ({ ...payload, delegate_payload: [mandate] }) },
    mandateSigningKey(service.ctx.config),
  );
}

const withConstraint = (type: string, fields: object) => (mandate: any) => ({
  ...mandate,
  constraints: mandate.constraints.map((one: any) =>
    one.type === type ? { ...one, ...fields } : one,
  ),
});
const LIMIT = "payment.amount_range";
const REFERENCE = "payment.reference";

const verdict = async (text: string) => failures(await check(service, text));

describe("a mandate that the store's key signed", () => {
  it("with the ledger's values and without disclosures is authentic", async () => {
    for (const token of [openPayment, openCheckout])
      expect(await verdict(await signed(token, (mandate) => mandate))).toEqual([]);
  });

  it.each([
    [
      "in another currency than the ledger's",
      LIMIT,
      { currency: "USD" },
      "amounts: currency_mismatch",
    ],
    ["with a higher limit than the ledger's", LIMIT, { max: 9_999_999 }, "amounts: differs"],
    [
      "bound to another checkout mandate",
      REFERENCE,
      { conditional_transaction_id: sha256("another") },
      "binding: not_bound",
    ],
  ])("%s is refused", async (_, type, fields, failure) => {
    const token = await signed(openPayment, withConstraint(type, fields));
    expect(await verdict(token)).toEqual([failure]);
  });

  it("and that pays a checkout whose currency is another is refused", async () => {
    const chain = `${openPayment}~${closedPayment}`;
    const change = (currency: string) =>
      service.database.query("UPDATE checkout_sessions SET currency = $2 WHERE id = $1", [
        checkoutId,
        currency,
      ]);
    await change("USD");
    expect(await verdict(chain)).toContain("amounts: currency_mismatch");
    await change("EUR");
    expect(await verdict(chain)).toEqual([]);
  });

  it("with a checkout that another key signed is refused", async () => {
    const { checkout_jwt: jwt } = await readable(closedCheckout);
    const foreign = (await forge(`${jwt}~`, { disclosures: [] })).slice(0, -1);
    const closed = await signed(closedCheckout, (mandate) => ({
      ...mandate,
      checkout_jwt: foreign,
      checkout_hash: createHash("sha256").update(foreign).digest("base64url"),
    }));
    expect(await verdict(`${openCheckout}~${closed}`)).toEqual(["signature: bad_signature"]);
  });

  it("as a token of another kind is refused", async () => {
    const key = mandateSigningKey(service.ctx.config);
    for (const typ of ["kb+sd-jwt", "JWT", undefined])
      expect(await verdict(await forge(openPayment, { header: { typ } }, key))).toEqual([
        "format: malformed",
      ]);
    const closed = await forge(closedPayment, { header: { typ: "mandate+sd-jwt" } }, key);
    expect(await verdict(`${openPayment}~${closed}`)).toEqual(["format: malformed"]);
  });

  it("and that has an open mandate in the place of a closed one is refused", async () => {
    expect(await verdict(`${openPayment}~${openCheckout}`)).toEqual(["format: malformed"]);
  });
});

describe("disclosures that the store's key signed", () => {
  const key = () => mandateSigningKey(service.ctx.config);
  const disclosing = (fields: object, disclosures: string[] = []) =>
    forge(openPayment, { disclosures, payload: (payload) => ({ ...payload, ...fields }) }, key());
  const named = (disclosure: string) => ({ _sd: [sha256(disclosure)] });

  it.each([
    ["by another hash", { _sd_alg: "sha-512" }, []],
    ["without a hash's name", { _sd_alg: undefined }, []],
  ])("%s are refused", async (_, fields, disclosures) => {
    expect(await verdict(await disclosing(fields, disclosures))).toEqual(["format: malformed"]);
  });

  it.each([
    ["an element in the place of a claim", ["salt", "value"]],
    ["a claim that is there already", ["salt", "iss", "https://elsewhere.example"]],
    ["a claim that names further digests", ["salt", "_sd", []]],
    ["a claim that hides an element", ["salt", "...", "value"]],
    ["a claim whose name is no text", ["salt", 7, "value"]],
  ])("with %s are refused", async (_, content) => {
    const disclosure = encode(content);
    const token = await disclosing(named(disclosure), [disclosure]);
    expect(await verdict(token)).toEqual(["format: malformed"]);
  });
});
