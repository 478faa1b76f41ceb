// A mandate exported as AP2's mandates: who may read it, and that it proves itself without the store.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  act,
  completed,
  itemsOf,
  makeCheckout,
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { newShopper, type Shopper } from "../../support/agents/commerce.ts";
import {
  ap2Problems,
  decode,
  hasAp2Schemas,
  proofOf,
  publishedKey,
  readToken,
  sha256,
  tokensOf,
} from "../../support/agents/proofs.ts";
import { hasUcpSchemas, ucpSchemas } from "../../support/agents/ucp-schemas.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
let mandate: string;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
  mandate = await newMandate(service, shopper, { usage: "multi" });
});

const newAgent = async (name: string) => {
  const client = await newClient(service, { client_name: name });
  const scope = "dev.ucp.shopping.checkout:manage commerce.mandates:create";
  return { client, ...(await newTokens(service, client, shopper.token, { scope })) };
};
const confirm = async (id = mandate, quantity = 1): Promise<any> => {
  const body = { line_items: itemsOf(shelf.camera, quantity), mandate_id: id };
  const made = (await makeCheckout(service, shopper, body)).json;
  expect((await act(service, shopper, made.id, "complete")).json.status).toBe(
    "complete_in_progress",
  );
  return made;
};
const exported = async (id = mandate, query = "") =>
  (await proofOf(service, id, shopper.token, query)).json;

describe("GET /commerce/mandates/:id/proof", () => {
  it("answers the shopper, the agents of the mandate and the merchant", async () => {
    const [own, other] = [await newAgent("Trail Planner"), await newAgent("Price Hunter")];
    const bound = await newMandate(service, shopper, { agent_clients: [own.client] });
    const before = await mandateRow(service, bound);
    for (const key of [shopper.token, own.access_token, undefined])
      expect((await proofOf(service, bound, key)).status).toBe(200);
    const refused = await proofOf(service, bound, other.access_token);
    expect([refused.status, refused.json.code]).toEqual([404, "not_found"]);
    expect((await proofOf(service, mandate, other.access_token)).status).toBe(200);
    expect(await mandateRow(service, bound)).toEqual(before);
  });

  it("shows an agent its own checkouts and the shopper's, and none of another agent's", async () => {
    const [own, other] = [await newAgent("Trail Planner"), await newAgent("Price Hunter")];
    const ofShopper = await confirm();
    const idsOf = async (key: string) =>
      (await proofOf(service, mandate, key)).json.checkouts.map(
        (one: { checkout_id: string }) => one.checkout_id,
      );
    const agentsPerson = { ...shopper, token: own.access_token };
    const body = { line_items: itemsOf(shelf.camera), mandate_id: mandate };
    const ofAgent = (await makeCheckout(service, agentsPerson, body)).json;
    expect((await act(service, agentsPerson, ofAgent.id, "complete")).status).toBe(200);
    expect(await idsOf(own.access_token)).toEqual([ofAgent.id, ofShopper.id]);
    expect(await idsOf(shopper.token)).toEqual([ofAgent.id, ofShopper.id]);
    expect(await idsOf(other.access_token)).toEqual([ofShopper.id]);
  });

  it("answers 401 without a valid key, and 404 for another person, another store and an unknown id", async () => {
    const stranger = await newShopper(service);
    const elsewhere = await newShopper(service, OTHER_SHOP);
    for (const key of [null, "nonsense"] as const)
      expect(
        (await service.call("GET", `/commerce/mandates/${mandate}/proof?shop=${SHOP}`, { key }))
          .status,
      ).toBe(401);
    expect((await proofOf(service, mandate, stranger.token)).json.code).toBe("not_found");
    expect((await proofOf(service, mandate, shopper.token, "", OTHER_SHOP)).status).toBe(401);
    expect((await proofOf(service, mandate, elsewhere.token, "", OTHER_SHOP)).status).toBe(404);
    expect((await proofOf(service, mandate, undefined, "", OTHER_SHOP)).status).toBe(404);
    for (const id of ["00000000-0000-4000-8000-000000000000", "x"])
      expect((await proofOf(service, id, shopper.token)).status).toBe(404);
    const stored = await service.database.query(
      "SELECT ap2_mandates FROM mandates WHERE mandate_id = $1",
      [mandate],
    );
    expect(stored).toEqual([{ ap2_mandates: null }]);
  });

  it.each(["nonce=short", `nonce=${"n".repeat(129)}`, "nonce=a%20b%20c%20d%20e", "aud=a%0Ab"])(
    "rejects %s",
    async (query) => {
      const answer = await proofOf(service, mandate, shopper.token, `&${query}`);
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    },
  );

  it("says what may be spent, signed with the key of the manifest", async () => {
    const proof = await exported();
    const key = await publishedKey(service);
    expect(proof).toMatchObject({
      ap2_version: "0.2.0",
      mandate_id: mandate,
      status: "active",
      merchant: { id: SHOP, website: `https://${SHOP}` },
      issuer: service.url,
      keys_url: expect.stringContaining("/.well-known/ucp"),
      checkouts: [],
    });
    const checkout = await readToken(proof.open.checkout_mandate, key);
    const payment = await readToken(proof.open.payment_mandate, key);
    const merchant = expect.objectContaining({ id: SHOP });
    expect(checkout.mandate).toEqual({
      vct: "mandate.checkout.open.1",
      constraints: [
        {
          type: "checkout.line_items",
          items: [{ id: "scope", acceptable_items: [], quantity: 100_000 }],
        },
        { type: "checkout.allowed_merchants", allowed: [merchant] },
      ],
      cnf: { jwk: { kty: "EC", crv: "P-256", x: key.x, y: key.y } },
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect(payment).toMatchObject({ iss: service.url, jti: mandate });
    expect(payment.mandate).toMatchObject({
      vct: "mandate.payment.open.1",
      constraints: [
        { type: "payment.amount_range", currency: "EUR", max: 10_000 },
        { type: "payment.agent_recurrence", frequency: "ON_DEMAND" },
        { type: "payment.budget", max: 100, currency: "EUR" },
        { type: "payment.allowed_payees", allowed: [merchant] },
        {
          type: "payment.reference",
          conditional_transaction_id: sha256(proof.open.checkout_mandate),
        },
      ],
    });
  });

  it("lets a single mandate be used once, and names a scope as an item that no variant is", async () => {
    const scope = `product:${shelf.cameraProduct}`;
    const proof = await exported(await newMandate(service, shopper, { scope }));
    const key = await publishedKey(service);
    const { mandate: payment } = await readToken(proof.open.payment_mandate, key);
    expect(payment.constraints.map(({ type }: any) => type)).toEqual([
      "payment.amount_range",
      "payment.allowed_payees",
      "payment.reference",
    ]);
    const { mandate: checkout } = await readToken(proof.open.checkout_mandate, key);
    expect(checkout.constraints[0].items[0].acceptable_items).toEqual([
      expect.objectContaining({ id: scope }),
    ]);
  });

  it("binds a confirmed checkout to it, for the verifier who asked", async () => {
    const { id } = await confirm();
    const proof = await exported(mandate, "&aud=https://psp.example&nonce=n-0123456789");
    const key = await publishedKey(service);
    expect(proof.checkouts).toMatchObject([{ checkout_id: id, status: "complete_in_progress" }]);
    const [{ checkout_mandate, payment_mandate }] = proof.checkouts;
    const [open, closed] = tokensOf(checkout_mandate);
    expect(open).toBe(proof.open.checkout_mandate);
    const checkout = await readToken(closed as string, key);
    expect(checkout).toMatchObject({
      aud: "https://psp.example",
      nonce: "n-0123456789",
      sd_hash: sha256(open as string),
    });
    const { checkout_jwt: jwt, checkout_hash } = checkout.mandate;
    expect(checkout_hash).toBe(sha256(jwt));
    expect((await readToken(closed as string, key)).mandate.vct).toBe("mandate.checkout.1");
    const [openPayment, closedPayment] = tokensOf(payment_mandate);
    expect(openPayment).toBe(proof.open.payment_mandate);
    const payment = await readToken(closedPayment as string, key);
    expect(payment.sd_hash).toBe(sha256(openPayment as string));
    expect(payment.mandate).toMatchObject({
      vct: "mandate.payment.1",
      transaction_id: sha256(jwt),
      payee: { id: SHOP },
      payment_amount: { amount: 4_000, currency: "EUR" },
      payment_instrument: { id: "storefront-checkout" },
    });
    expect(decode(jwt.split(".")[1])).toMatchObject({
      id,
      merchant: { id: SHOP },
      totals: expect.arrayContaining([{ type: "total", amount: 4_000 }]),
    });
  });

  it("proves only what an agent confirmed, and nothing that was canceled", async () => {
    const body = { line_items: itemsOf(shelf.camera), mandate_id: mandate };
    const open = (await makeCheckout(service, shopper, body)).json;
    expect((await exported()).checkouts).toEqual([]);
    await act(service, shopper, open.id, "complete");
    expect((await exported()).checkouts).toHaveLength(1);
    await act(service, shopper, open.id, "cancel");
    expect((await exported()).checkouts).toEqual([]);
  });

  it("has one transaction for one checkout, however often and however concurrently it is exported", async () => {
    await confirm();
    const proofs = await Promise.all(Array.from({ length: 8 }, () => exported()));
    const key = await publishedKey(service);
    const transactions = await Promise.all(
      proofs.map(async ({ checkouts: [one] }) => {
        const [, closed] = tokensOf(one.payment_mandate);
        return (await readToken(closed as string, key)).mandate.transaction_id;
      }),
    );
    expect(new Set(transactions).size).toBe(1);
    expect(new Set(proofs.map(({ open }) => JSON.stringify(open))).size).toBe(1);
  });

  it("stays for a paid checkout, with the state that the ledger has", async () => {
    const single = await newMandate(service, shopper);
    const { id, checkout_url } = await confirm(single);
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    expect(await exported(single)).toMatchObject({
      status: "used",
      checkouts: [{ checkout_id: id, status: "completed" }],
    });
  });

  it("names no shopper: no address, no name, no customer, no agent, no place to pay", async () => {
    const { checkout_url } = await confirm();
    const proof = await exported();
    const parts: string[] = [];
    const collect = (text: string): void => {
      for (const part of text.split(/[~.]/)) {
        const read = Buffer.from(part, "base64url").toString("utf8");
        if (!/^[[{]/.test(read)) continue;
        parts.push(read);
        // A checkout's own token stands in a disclosure.
        for (const inner of read.match(/eyJ[\w.-]+/g) ?? []) collect(inner);
      }
    };
    const { open, checkouts } = proof;
    for (const pair of [open, ...checkouts]) {
      collect(pair.checkout_mandate);
      collect(pair.payment_mandate);
    }
    const text = [JSON.stringify({ ...proof, open: 0, checkouts: 0 }), ...parts].join("\n");
    expect(text).toContain("Trail Camera");
    const { email, gid, id } = shopper;
    const names = ["customer_id", "client"];
    for (const secret of [email, gid, `:${id},`, `:${id}}`, `"${id}"`, checkout_url, ...names])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it.skipIf(!hasAp2Schemas || !hasUcpSchemas("2026-08-25"))(
    "is valid by the schemas that AP2 and UCP publish",
    async () => {
      await confirm();
      const scoped = { scope: "collection:outdoor" };
      const proofs = [await exported(), await exported(await newMandate(service, shopper, scoped))];
      const key = await publishedKey(service);
      const problems = ap2Problems();
      const read = async (name: string, token: string) => {
        const { mandate: content } = await readToken(token, key);
        expect([name, problems(`ap2/${name}.json`, content)]).toEqual([name, []]);
        return content;
      };
      for (const { open, checkouts } of proofs) {
        await read("open_checkout_mandate", open.checkout_mandate);
        await read("open_payment_mandate", open.payment_mandate);
        for (const { checkout_mandate, payment_mandate } of checkouts) {
          await read("payment_mandate", tokensOf(payment_mandate)[1] as string);
          const closed = await read("checkout_mandate", tokensOf(checkout_mandate)[1] as string);
          const terms = decode(closed.checkout_jwt.split(".")[1]);
          expect(problems("ucp/types/checkout.json", terms)).toEqual([]);
          const validate = ucpSchemas("2026-08-25").compile("shopping/checkout.json");
          expect([validate(terms), validate.errors]).toEqual([true, null]);
        }
      }
    },
  );
});
