// Idempotency-Key: a request takes effect once, and a repetition gets the same response.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  act,
  CART_API,
  itemsOf,
  makeCheckout,
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asAgent, callsOf, consent, type Shopper } from "../../support/agents/commerce.ts";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
});
afterEach(() => service.sandbox.clearFaults());

const KEY = "0b0f5f3e-7a44-4c3d-9e5f-1f1a2b3c4d5e";
const send = (body: object = { line_items: itemsOf(shelf.camera) }, key = KEY, person = shopper) =>
  makeCheckout(service, person, body, { "Idempotency-Key": key });
const count = async (table = "checkout_sessions"): Promise<number> =>
  (
    await service.database.query(`SELECT count(*)::int AS n FROM ${table} WHERE customer_id = $1`, [
      shopper.id,
    ])
  )[0].n;

describe("the same request with the same key", () => {
  it("gets the same bytes again and takes effect once", async () => {
    const mandate_id = await newMandate(service, shopper, { usage: "multi" });
    const first = await send({ line_items: itemsOf(shelf.camera), mandate_id });
    const carts = callsOf(service, "cartCreate");
    const again = await send({ line_items: itemsOf(shelf.camera), mandate_id });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([
      first.headers.get("idempotent-replayed"),
      again.headers.get("idempotent-replayed"),
    ]).toEqual([null, "true"]);
    expect([await count(), callsOf(service, "cartCreate")]).toEqual([1, carts]);
    expect(await mandateRow(service, mandate_id)).toMatchObject({
      reserved_amount: "40.00",
      reservations: 1,
    });
  });

  it("is the same whether no mandate is null or left out", async () => {
    const first = await send({ line_items: itemsOf(shelf.camera), mandate_id: null });
    const again = await send();
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it("gets the same error again", async () => {
    const mandate_id = await newMandate(service, shopper, { max_amount: "1.00" });
    const body = { line_items: itemsOf(shelf.camera), mandate_id };
    const { request_id: _first, ...first } = (await send(body)).json;
    await service.database.query("UPDATE mandates SET max_amount = 100 WHERE mandate_id = $1", [
      mandate_id,
    ]);
    const answer = await send(body);
    const { request_id: _again, ...again } = answer.json;
    expect([answer.status, again]).toEqual([403, first]);
    expect(again.reason).toBe("exceeded");
  });

  it("creates the mandate once the shopper has given the consent that was missing", async () => {
    const create = () =>
      asAgent(service, shopper, "POST", "/commerce/mandates", {
        body: { max_amount: "100.00", currency: "EUR", scope: "all" },
        headers: { "Idempotency-Key": KEY },
      });
    await consent(service, shopper, { consent_ap2: false });
    expect((await create()).json.code).toBe("payment_consent_required");
    await consent(service, shopper, { consent_ap2: true });
    expect((await create()).status).toBe(201);
  });

  it("with another body answers 409 and has no effect", async () => {
    await send();
    const answer = await send({ line_items: itemsOf(shelf.camera, 2) });
    expect([answer.status, answer.json.error, answer.json.code]).toEqual([
      409,
      "Conflict",
      "idempotency_conflict",
    ]);
    expect(await count()).toBe(1);
  });

  it("twenty times concurrently creates one checkout, and all get its response", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed"))).toHaveLength(19);
    expect(await count()).toBe(1);
  });

  it("waits for the first one while that asks a slow storefront", async () => {
    service.sandbox.failNext("storefront", { delayMs: 1_500, match: CART_API });
    const [first, again] = await Promise.all([send(), send()]);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await count()).toBe(1);
  });

  it("is refused with Retry-After where the first one failed, and works when sent again", async () => {
    service.sandbox.failNext("storefront", { status: 503, delayMs: 500, match: CART_API });
    service.sandbox.failNext("storefront", { status: 503, match: /admin\/api/ }, 20);
    const answers = await Promise.all([send(), send()]);
    const [late, failed] = answers.sort((a, b) => a.status - b.status);
    expect([failed?.status, late?.json.code, late?.headers.get("retry-after")]).toEqual([
      502,
      "idempotency_in_flight",
      "1",
    ]);
    service.sandbox.clearFaults();
    expect((await send()).status).toBe(201);
  });

  it("runs again after a failure on our side", async () => {
    service.sandbox.failNext("storefront", { status: 503, match: CART_API });
    service.sandbox.failNext("storefront", { status: 503, match: /admin\/api/ }, 20);
    expect((await send()).status).toBe(502);
    service.sandbox.clearFaults();
    expect((await send()).status).toBe(201);
  });
});

describe("an idempotency key", () => {
  it("is scoped to a person, an agent's client and an operation", async () => {
    const first = await send();
    const others = [await send(undefined, KEY, await newPayer(service))];
    const tokens = await newTokens(service, await newClient(service), shopper.token, {
      scope: "dev.ucp.shopping.checkout:manage",
    });
    others.push(
      await service.call("POST", "/commerce/checkout", {
        key: tokens.access_token,
        body: { line_items: itemsOf(shelf.camera, 2) },
        headers: { "Idempotency-Key": KEY },
      }),
    );
    expect(others.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set([first, ...others].map(({ json }) => json.id)).size).toBe(3);
    expect(
      (await act(service, shopper, first.json.id, "cancel", {}, { "Idempotency-Key": KEY })).json
        .status,
    ).toBe("canceled");
  });

  it.each(["x".repeat(256), "caf\u00e9", ""])("of a wrong shape answers 400: %j", async (key) => {
    const answer = await send(undefined, key);
    expect([answer.status, answer.json.fields]).toEqual([
      400,
      { "Idempotency-Key": expect.any(String) },
    ]);
    expect(await count()).toBe(0);
  });

  it.each(["x", "x".repeat(255), "order 7/b"])("may be %j", async (key) => {
    expect((await send(undefined, key)).status).toBe(201);
  });

  it("works for update, complete, cancel and mandates too", async () => {
    const mandate = { max_amount: "100.00", currency: "EUR", scope: "all" };
    const made = await Promise.all(
      [1, 2].map(
        async () =>
          (
            await asAgent(service, shopper, "POST", "/commerce/mandates", {
              body: mandate,
              headers: { "Idempotency-Key": "once" },
            })
          ).json,
      ),
    );
    const id = made.find(({ mandate_id }) => mandate_id)?.mandate_id;
    expect(await count("mandates")).toBe(1);
    expect(
      (
        await asAgent(service, shopper, "POST", "/commerce/mandates", {
          body: { ...mandate, max_amount: "200.00" },
          headers: { "Idempotency-Key": "once" },
        })
      ).json.code,
    ).toBe("idempotency_conflict");
    const checkout = (await send({ line_items: itemsOf(shelf.camera), mandate_id: id })).json.id;
    for (const [verb, body] of [
      ["update", { line_items: itemsOf(shelf.camera, 2) }],
      ["complete", {}],
      ["cancel", {}],
    ] as const) {
      const [first, again] = [
        await act(service, shopper, checkout, verb, body, { "Idempotency-Key": "k" }),
        await act(service, shopper, checkout, verb, body, { "Idempotency-Key": "k" }),
      ];
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
        200,
        first.text,
        "true",
      ]);
    }
    expect(
      (
        await act(
          service,
          shopper,
          checkout,
          "update",
          { line_items: itemsOf(shelf.camera, 3) },
          { "Idempotency-Key": "k" },
        )
      ).json.code,
    ).toBe("idempotency_conflict");
  });
});

it("a run that lost its lease rolls back, and the run that took it over counts once", async () => {
  const mandate_id = await newMandate(service, shopper, { usage: "multi" });
  const body = { line_items: itemsOf(shelf.camera), mandate_id };
  service.sandbox.failNext("storefront", { delayMs: 1_500, match: CART_API });
  const slow = send(body);
  const started = async () =>
    service.database.query(
      `UPDATE kv SET expires_at = now() - interval '1 second' WHERE key LIKE 'idempotent:%'
        AND value->>'user_id' = $1 RETURNING 1`,
      [String(shopper.id)],
    );
  while ((await started()).length === 0);
  const quick = await send(body);
  expect([quick.status, (await slow).json.code]).toEqual([201, "idempotency_in_flight"]);
  expect(await count()).toBe(1);
  expect(await mandateRow(service, mandate_id)).toMatchObject({
    reserved_amount: "40.00",
    reservations: 1,
  });
});

it("the stored response is kept for a day, and names its person, so that a redaction finds it", async () => {
  await send();
  const [kept, ...more] = await service.database.query(
    `SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM kv
      WHERE shop = $1 AND key LIKE 'idempotent:%' AND value->>'user_id' = $2`,
    [SHOP, String(shopper.id)],
  );
  expect([more, kept?.hours]).toEqual([[], expect.closeTo(24, 0)]);
});
