// Several processes on one database: a mandate's limit holds across them, and a process killed during a
// checkout keeps nothing reserved.
import { afterAll, beforeAll, expect, test } from "vitest";
import { endChildren, startRoles } from "../support/processes/child.ts";
import {
  CART_API,
  completed,
  itemsOf,
  newMandate,
  newPayer,
  seedProducts,
  mandateRow,
  type Shelf,
} from "../support/agents/checkout.ts";
import { check, proofOf } from "../support/agents/proofs.ts";
import { callsOf, type Shopper } from "../support/agents/commerce.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const PROCESSES = 3;
let service: Service;
let shelf: Shelf;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(async () => {
  await endChildren();
  await service.stop();
});

const startWeb = () => startRoles(service, "web", { DATABASE_POOL: "4" });

async function buy(
  url: string,
  person: Shopper,
  mandate_id: string,
  key?: string,
): Promise<{ status: number; json: any }> {
  const headers = {
    "Content-Type": "application/json",
    Authorization: `Bearer ${person.token}`,
    ...(key && { "Idempotency-Key": key }),
  };
  const answer = await fetch(`${url}/commerce/checkout?shop=${SHOP}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ line_items: itemsOf(shelf.camera), mandate_id }),
  });
  return { status: answer.status, json: await answer.json() };
}

test(`of 20 concurrent checkouts of 40.00 on a mandate of 100.00, across ${PROCESSES + 1} processes, exactly 2 succeed`, async () => {
  const webs = await Promise.all(Array.from({ length: PROCESSES }, startWeb));
  const urls = [service.url, ...webs.map(({ url }) => url)];
  const shopper = await newPayer(service);
  for (let times = 0; times < 3; times += 1) {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => buy(urls[n % urls.length] as string, shopper, mandate)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(
      answers.filter(({ status, json }) => status === 403 && json.reason === "exceeded"),
    ).toHaveLength(18);
    expect(await mandateRow(service, mandate)).toEqual({
      spent_amount: "0.00",
      reserved_amount: "80.00",
      reservations: 2,
      status: "active",
    });
    const rows = await service.database.query(
      "SELECT count(*)::int AS n FROM checkout_sessions WHERE mandate_id = $1",
      [mandate],
    );
    expect(rows).toEqual([{ n: 2 }]);
  }
  const mandate = await newMandate(service, shopper);
  const single = await Promise.all(urls.map((url) => buy(url, shopper, mandate)));
  expect(single.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 403, 403, 403]);
  await paidWithin(urls, shopper);
  for (const web of webs) web.signal("SIGTERM");
  await Promise.all(webs.map(({ ended }) => ended));
});

/** Each process confirms every checkout, and each that was made is paid: the limit holds to the end. */
async function paidWithin(urls: string[], shopper: Shopper): Promise<void> {
  const mandate = await newMandate(service, shopper, { usage: "multi" });
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => buy(urls[n % urls.length] as string, shopper, mandate)),
  );
  const open = made.flatMap(({ status, json }) => (status === 201 ? [json] : []));
  await Promise.all(
    urls.flatMap((url) =>
      open.map(({ id }) =>
        fetch(`${url}/commerce/checkout/${id}/complete?shop=${SHOP}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${shopper.token}`, "Content-Type": "application/json" },
          body: "{}",
        }),
      ),
    ),
  );
  const { json: proof } = await proofOf(service, mandate, shopper.token);
  const checked = (await check(service, proof)).json;
  expect(checked.is_usable).toBe(true);
  const closed = checked.mandates.filter(({ type }: any) => type === "mandate.payment.1");
  expect(closed.map(({ content }: any) => content.amount)).toEqual(["40.00", "40.00"]);
  for (const { id, checkout_url } of open) {
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
  }
  expect(await mandateRow(service, mandate)).toMatchObject({
    spent_amount: "80.00",
    reserved_amount: "0.00",
  });
}

test("a process killed during a checkout keeps nothing reserved, and the same idempotency key works in another process", async () => {
  const web = await startWeb();
  const shopper = await newPayer(service);
  const mandate = await newMandate(service, shopper);
  const carts = callsOf(service, "cartCreate");
  service.sandbox.failNext("storefront", { hang: 4_000, match: CART_API });
  const lost = buy(web.url, shopper, mandate, "the-only-key").then(
    () => "answered",
    () => "lost",
  );
  await eventually("the cart asked for", () => callsOf(service, "cartCreate") > carts);
  web.signal("SIGKILL");
  expect(await lost).toBe("lost");
  expect(await mandateRow(service, mandate)).toMatchObject({
    reserved_amount: "0.00",
    reservations: 0,
  });
  expect((await buy(service.url, shopper, mandate, "the-only-key")).json.code).toBe(
    "idempotency_in_flight",
  );
  // Lets the dead process's one-minute lease expire.
  await service.database.query(
    "UPDATE kv SET expires_at = now() - interval '1 second' WHERE key LIKE 'idempotent:%'",
  );
  const again = await buy(service.url, shopper, mandate, "the-only-key");
  expect(again.status).toBe(201);
  expect(await buy(service.url, shopper, mandate, "the-only-key")).toEqual(again);
  expect(await mandateRow(service, mandate)).toMatchObject({
    reserved_amount: "40.00",
    reservations: 1,
  });
});
