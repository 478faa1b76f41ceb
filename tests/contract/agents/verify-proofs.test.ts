// What the public check of a mandate's proof says of true ones, of those that ended, and of forgeries.
import { createHmac, generateKeyPairSync } from "node:crypto";
import { exportJWK } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mandateSigningKey } from "../../../app/domain/commerce/mandate-proof.ts";
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
import { consent, newShopper, type Shopper } from "../../support/agents/commerce.ts";
import {
  check,
  decode,
  encode,
  failures,
  forge,
  proofOf,
  publishedKey,
  tokensOf,
} from "../../support/agents/proofs.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
let mandate: string;
/** What the shopper's agent would hand to a payment processor. */
let proof: any;
let payment: string;
let checkoutId: string;
let payUrl: string;

const exported = async (id = mandate) => (await proofOf(service, id, shopper.token)).json;
const confirm = async (id: string, quantity = 1): Promise<any> => {
  const body = { line_items: itemsOf(shelf.camera, quantity), mandate_id: id };
  const made = (await makeCheckout(service, shopper, body)).json;
  await act(service, shopper, made.id, "complete");
  return made;
};

beforeAll(async () => {
  service = await startService({ background: true, env: { RATE_LIMIT_SCALE: "10" } });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
async function prepare(): Promise<void> {
  shopper = await newPayer(service);
  mandate = await newMandate(service, shopper, { usage: "multi" });
  ({ id: checkoutId, checkout_url: payUrl } = await confirm(mandate));
  proof = await exported();
  payment = proof.checkouts[0].payment_mandate;
}

describe("POST /commerce/mandates/verify", () => {
  beforeEach(prepare);

  it("finds everything in order, for a document, its text and one mandate of it, and changes nothing", async () => {
    const before = await mandateRow(service, mandate);
    for (const given of [proof, ` ${JSON.stringify(proof)}\n`, payment]) {
      const answer = await check(service, given);
      expect([answer.status, failures(answer)]).toEqual([200, []]);
      expect(answer.json).toMatchObject({ is_authentic: true, is_usable: true });
      expect(answer.json.mandates).toHaveLength(given === payment ? 1 : 4);
    }
    const { json } = await check(service, payment);
    expect(json.mandates[0]).toMatchObject({
      type: "mandate.payment.1",
      content: {
        mandate_id: mandate,
        merchant: SHOP,
        amount: "40.00",
        currency: "EUR",
        audience: `https://${SHOP}`,
      },
    });
    expect(json.mandates[0].checks.map(({ outcome }: any) => outcome)).toEqual(
      Array.from({ length: 8 }, () => "passed"),
    );
    const open = await check(service, proof.open.payment_mandate);
    expect(open.json.mandates[0].content).toMatchObject({ amount: "100.00", nonce: null });
    expect(await mandateRow(service, mandate)).toEqual(before);
  });

  it("finds a proof in order that was exported before another one of the same checkout", async () => {
    const again = await exported();
    expect(again.checkouts[0].payment_mandate).not.toBe(payment);
    for (const given of [proof, again]) expect(failures(await check(service, given))).toEqual([]);
  });

  it("finds a revoked mandate authentic and of no use", async () => {
    await consent(service, shopper, { consent_ap2: false });
    const answer = await check(service, proof);
    expect(answer.json).toMatchObject({ is_authentic: true, is_usable: false });
    expect(new Set(failures(answer))).toEqual(new Set(["state: revoked"]));
  });

  it("finds a canceled, a paid and an unknown checkout of no use", async () => {
    await act(service, shopper, checkoutId, "cancel");
    expect(failures(await check(service, payment))).toEqual(["state: canceled"]);
    expect(failures(await check(service, proof.open.payment_mandate))).toEqual([]);
    await service.sandbox.storefront.pay(SHOP, payUrl);
    await completed(service, checkoutId);
    expect(failures(await check(service, payment))).toEqual(["state: used"]);
    await service.database.query("DELETE FROM checkout_sessions WHERE id = $1", [checkoutId]);
    expect(failures(await check(service, payment))).toEqual(["binding: not_bound"]);
    await service.database.query("DELETE FROM mandates WHERE mandate_id = $1", [mandate]);
    expect(failures(await check(service, proof.open.checkout_mandate))).toEqual([
      "state: unknown_mandate",
    ]);
  });

  it("finds the terms before an update replaced by those after it", async () => {
    const product = (price: string) =>
      service.sandbox.storefront.putProduct(SHOP, {
        gid: shelf.cameraProduct,
        title: "Trail Camera",
        variants: [{ gid: shelf.camera, sku: "CAM-9", price, stock: 500 }],
      });
    product("45.50");
    await act(service, shopper, checkoutId, "complete");
    await act(service, shopper, checkoutId, "update", { line_items: itemsOf(shelf.camera) });
    await act(service, shopper, checkoutId, "complete");
    product("40.00");
    expect(failures(await check(service, payment))).toContain("amounts: differs");
    const after = await exported();
    const answer = await check(service, after.checkouts[0].payment_mandate);
    expect([failures(answer), answer.json.mandates[0].content.amount]).toEqual([[], "45.50"]);
    expect(failures(await check(service, payment))).toContain("binding: not_bound");
  });

  it("finds an expired mandate and a store that takes no agents' payments of no use", async () => {
    const over = await exported(await newMandate(service, shopper, { expires_in_hours: 1e-7 }));
    expect(failures(await check(service, over.open.payment_mandate))).toEqual([
      "expiry: expired",
      "state: expired",
    ]);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: false } });
    expect(failures(await check(service, payment))).toEqual(["state: payments_disabled"]);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: true } });
  });

  it("refuses another store's mandate without a look at that store", async () => {
    const theirs = await newShopper(service, OTHER_SHOP);
    await consent(service, theirs, { consent_a2a: true, consent_ap2: true }, OTHER_SHOP);
    const made = await service.call("POST", `/commerce/mandates?shop=${OTHER_SHOP}`, {
      key: theirs.token,
      body: { max_amount: "9.00", currency: "EUR", scope: "all" },
    });
    const id = made.json.mandate_id;
    const { json } = await proofOf(service, id, theirs.token, "", OTHER_SHOP);
    const token = json.open.payment_mandate;
    expect(failures(await check(service, token, OTHER_SHOP))).toEqual([]);
    const answer = await check(service, token);
    expect(answer.json).toMatchObject({ is_authentic: false, is_usable: false });
    expect(failures(answer)).toEqual(["store: other_store"]);
    const unchecked = answer.json.mandates[0].checks.filter(
      ({ outcome }: any) => outcome === "not_checked",
    );
    expect(unchecked.map(({ check: name }: any) => name)).toEqual(["binding", "amounts", "state"]);
  });
});

describe("a forgery", () => {
  beforeAll(prepare);

  const refused = async (token: unknown, reason: string) => {
    const answer = await check(service, token);
    expect([answer.status, failures(answer)]).toEqual([200, [reason]]);
    expect(answer.json).toMatchObject({ is_authentic: false, is_usable: false });
    return answer.json.mandates[0];
  };

  it("without a signature, or with one by the public key as a secret, is refused", async () => {
    const [jwt = "", ...rest] = proof.open.payment_mandate.split("~");
    const [header = "", payload = ""] = jwt.split(".");
    const tail = `~${rest.join("~")}`;
    for (const alg of ["none", "None", "HS256", "RS256", "ES384", undefined]) {
      const head = encode({ ...decode(header), alg });
      const secret = JSON.stringify(await publishedKey(service));
      const mac = createHmac("sha256", secret).update(`${head}.${payload}`).digest("base64url");
      for (const signature of ["", mac]) {
        const answer = await check(service, `${head}.${payload}.${signature}${tail}`);
        expect([alg, answer.json.is_authentic, failures(answer).length]).toEqual([alg, false, 1]);
      }
    }
    await refused(
      `${encode({ ...decode(header), alg: "none" })}.${payload}.${tail}`,
      "signature: wrong_algorithm",
    );
  });

  it("by a foreign key is refused, under that key's name, the store's, or one that it brings along", async () => {
    const open = proof.open.payment_mandate;
    await refused(await forge(open, { header: { kid: "foreign" } }), "key: unknown_key");
    await refused(await forge(open, {}), "signature: bad_signature");
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const header = { jwk: await exportJWK(publicKey), jku: "https://attacker.example/jwks" };
    const brought = await forge(open, { header: { ...header, x5c: [] } }, privateKey);
    await refused(brought, "signature: bad_signature");
    const [first, second] = tokensOf(payment);
    const mixed = `${first}~${await forge(second as string, {}, privateKey)}`;
    await refused(mixed, "signature: bad_signature");
  });

  it("with other amounts, merchants, or words in its disclosures is refused", async () => {
    const [first = "", second = ""] = tokensOf(payment);
    const [jwt = "", ...rest] = second.split("~");
    const [disclosure = ""] = rest;
    const changed = encode(
      Buffer.from(disclosure, "base64url").toString().replace('"amount":4000', '"amount":1'),
    );
    expect(changed).not.toBe(disclosure);
    await refused(`${first}~${jwt}~${changed}~`, "format: malformed");
    await refused(`${first}~${jwt}~${disclosure}~${disclosure}~`, "format: malformed");
    await refused(`${first}~${jwt}~${disclosure}~${encode(["s", { a: 1 }])}~`, "format: malformed");
    await refused(`${first}~${jwt}~`, "format: malformed");
    await refused(`${first}~${jwt}~${disclosure}`, "format: malformed");
    const [header = "", payload = "", signature = ""] = jwt.split(".");
    const other = encode({ ...decode(payload), aud: "https://attacker.example" });
    await refused(
      `${first}~${header}.${other}.${signature}~${disclosure}~`,
      "signature: bad_signature",
    );
  });

  it("of true parts that do not belong together is refused", async () => {
    const more = await newMandate(service, shopper, { max_amount: "999.00" });
    await confirm(more);
    const other = await exported(more);
    const [, closed] = tokensOf(payment);
    await refused(`${other.open.payment_mandate}~${closed}`, "binding: not_bound");
    await refused(`${proof.open.checkout_mandate}~${closed}`, "binding: not_bound");
    await refused(closed, "format: malformed");
    await refused(`${payment}~${closed}`, "format: malformed");
    // The contract's own proof is signed with the same key and is no AP2 mandate.
    const { json } = await service.call("GET", `/commerce/mandates/${mandate}?shop=${SHOP}`);
    await refused(`${json.proof}~`, "format: malformed");
  });

  it("is refused also when the store's own key signed what is not in its ledger", async () => {
    const key = mandateSigningKey(service.ctx.config);
    const [first = "", second = ""] = tokensOf(payment);
    const content = (await check(service, payment)).json.mandates[0].content;
    const inline = (change: (mandate: any) => object) => ({
      disclosures: [],
      payload: (payload: any) => ({ ...payload, delegate_payload: [change(closedOf(second))] }),
    });
    const closedOf = (token: string) => decode(token.split("~")[1] as string)[1];
    const paying = async (amount: object) =>
      failures(
        await check(
          service,
          `${first}~${await forge(
            second,
            inline((one) => ({ ...one, payment_amount: amount })),
            key,
          )}`,
        ),
      );
    expect(content.amount).toBe("40.00");
    expect(await paying({ amount: 4_000, currency: "EUR" })).toEqual([]);
    expect(await paying({ amount: 4_100, currency: "EUR" })).toEqual(["amounts: differs"]);
    expect(await paying({ amount: 10_001, currency: "EUR" })).toEqual(["amounts: exceeded"]);
    expect(await paying({ amount: 4_000, currency: "USD" })).toEqual([
      "amounts: currency_mismatch",
    ]);
    const later = Math.floor(Date.now() / 1_000) + 600;
    const early = await forge(
      second,
      inline((one) => ({ ...one, iat: later })),
      key,
    );
    expect(failures(await check(service, `${first}~${early}`))).toEqual(["expiry: not_yet_valid"]);
    const unknown = { type: "payment.unheard_of" };
    const wide = await forge(
      first,
      {
        disclosures: [],
        payload: (payload) => ({
          ...payload,
          delegate_payload: [{ vct: "mandate.payment.open.1", constraints: [unknown] }],
        }),
      },
      key,
    );
    await refused(wide, "format: malformed");
  });
});

describe("hostile input", () => {
  beforeAll(prepare);

  const NO_PROOFS: [string, unknown][] = [
    ["nothing", ""],
    ["a number", 7],
    ["null", null],
    ["a list", []],
    ["a document of other things", { open: {} }],
    [
      "too many mandates",
      { open: pair("a"), checkouts: Array.from({ length: 11 }, () => pair("a")) },
    ],
    ["a text of a document of other things", '{"open":[]}'],
    ["half a document", '{"open":{"checkout_mandate":"a"'],
    ["a document nested 100,000 deep", `{"open":${"[".repeat(100_000)}`],
  ];
  it("that is no proof answers 400", async () => {
    for (const [name, given] of NO_PROOFS) {
      const answer = await check(service, given);
      expect([name, answer.status, answer.json.code]).toEqual([name, 400, "invalid_request"]);
    }
  });

  function pair(token: string) {
    return { checkout_mandate: token, payment_mandate: token };
  }

  const NO_MANDATES = [
    ["a word", "a"],
    ["separators", "~".repeat(10_000)],
    ["tokens without end", "a.b.c~~".repeat(1_000)],
    ["a header that is no object", `${encode("7")}.${encode({})}.x~`],
    [
      "a payload without an object",
      `${encode({ alg: "ES256", typ: "mandate+sd-jwt" })}.${encode("[]")}.x~`,
    ],
    ["900,000 letters", "e".repeat(900_000)],
    ["letters of other scripts", "\u202e💳~"],
  ];
  it("that only looks like a mandate is none", async () => {
    for (const [name, given] of NO_MANDATES) {
      const answer = await check(service, given);
      expect([name, answer.status, answer.json.is_authentic]).toEqual([name, 200, false]);
      expect(answer.json.mandates[0].content).toBeNull();
    }
  });

  it("a signed token with nested, circular or poisoned disclosures is no mandate", async () => {
    const key = mandateSigningKey(service.ctx.config);
    const open = proof.open.payment_mandate;
    const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const poisoned = encode(["s", "__proto__", { isAdmin: true }]);
    for (const disclosures of [
      [encode(`["s",${deep(50_000)}]`)],
      Array.from({ length: 33 }, (_, n) => encode([String(n), n])),
      [encode("{}")],
      [encode(["s"])],
      ["%%%"],
      [poisoned],
    ]) {
      const answer = await check(service, await forge(open, { disclosures }, key));
      expect([answer.status, failures(answer)]).toEqual([200, ["format: malformed"]]);
    }
    for (const value of [JSON.parse(deep(1_000)), { _sd: ["a"] }, null, "text"]) {
      const payload = (given: any) => ({ ...given, delegate_payload: value });
      const token = await forge(open, { payload, disclosures: [] }, key);
      expect(failures(await check(service, token))).toEqual(["format: malformed"]);
    }
    expect(({} as any).isAdmin).toBeUndefined();
  });

  it("more than a mebibyte is 413, and without a store nothing is looked at", async () => {
    expect((await check(service, "e".repeat(1_100_000))).status).toBe(413);
    const nowhere = await service.call("POST", "/commerce/mandates/verify", {
      key: null,
      body: { proof: payment },
    });
    expect(nowhere.json.code).toBe("tenant_required");
    expect((await check(service, payment, "nowhere.myshopify.com")).status).toBe(404);
  });
});

describe("the page", () => {
  beforeEach(prepare);

  const page = (query = "", proofText?: string) =>
    service.call(
      proofText === undefined ? "GET" : "POST",
      `/commerce/mandates/verify?shop=${SHOP}${query}`,
      {
        key: null,
        ...(proofText !== undefined && {
          body: new URLSearchParams({ proof: proofText }).toString(),
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
        }),
      },
    );

  it("takes a proof and says in the visitor's language what holds", async () => {
    const empty = await page();
    expect([empty.status, empty.text.includes("<textarea")]).toEqual([200, true]);
    expect(empty.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(empty.text).not.toContain("<script");
    const good = await page("", JSON.stringify(proof));
    expect(good.text.match(/Authentic, and it may be used now\./g)).toHaveLength(4);
    const french = await page("&locale=fr", payment);
    expect(french.text).toContain("Authentique, et utilisable maintenant.");
    const asked = await service.call("GET", `/commerce/mandates/verify?shop=${SHOP}`, {
      key: null,
      headers: { "Accept-Language": "es-MX" },
    });
    expect(asked.text).toContain('<html lang="es"');
    await consent(service, shopper, { consent_ap2: false });
    expect((await page("&locale=es", payment)).text).toContain("Se ha revocado.");
  });

  it("shows a pasted text as text, and says when it is no proof", async () => {
    const attack = '</textarea><script>alert("1")</script>';
    const answer = await page("", attack);
    expect(answer.text).not.toContain("<script");
    expect(answer.text).toContain("Not authentic.");
    const unreadable = await page("", `{"a":"${attack}"}`);
    expect([unreadable.status, unreadable.text.includes('role="alert"')]).toEqual([400, true]);
    expect((await page("", "")).status).toBe(400);
    expect((await page("&locale=%22%3E%3Cb%3E", payment)).text).not.toContain('"><b>');
  });
});
