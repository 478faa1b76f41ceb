// The database commits a checkout, and the connection breaks before the answer comes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabaseProxy, type DatabaseProxy } from "../support/processes/database-proxy.ts";
import {
  act,
  closeCarts,
  itemsOf,
  makeCheckout,
  newPayer,
  seedProducts,
  type Shelf,
} from "../support/agents/checkout.ts";
import { callsOf, type Shopper } from "../support/agents/commerce.ts";
import { eventually, startService, type Service } from "../support/service.ts";

let proxy: DatabaseProxy;
let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({
    databaseThrough: async (url) => (proxy = await startDatabaseProxy(url)).url,
  });
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
  closeCarts(service);
});
afterAll(async () => {
  await service?.stop();
  await proxy?.stop();
});

const deletions = () => callsOf(service, "draftOrderDelete");
const rows = () =>
  service.database.query<{ id: string; quantity: number }>(
    "SELECT id, (line_items->0->>'quantity')::int AS quantity FROM checkout_sessions WHERE customer_id = $1",
    [shopper.id],
  );

/** Sends the request; the database commits it, and the service does not learn of it. */
async function loseCommit<T>(
  statement: string,
  request: () => Promise<T>,
  isCommitted: () => Promise<boolean>,
): Promise<T> {
  const { committing } = proxy.keepCommitAnswer(statement);
  const answer = request();
  await committing;
  await eventually("the commit", isCommitted);
  proxy.cut();
  return answer;
}

test("a new checkout keeps its draft order, and the repetition of its request is answered with it", async () => {
  const before = deletions();
  const send = () =>
    makeCheckout(
      service,
      shopper,
      { line_items: itemsOf(shelf.camera) },
      { "Idempotency-Key": "1" },
    );
  const lost = await loseCommit(
    "INSERT INTO checkout_sessions",
    send,
    async () => (await rows()).length > 0,
  );
  expect(lost.status).toBe(503);
  const again = await send();
  expect([again.status, again.json.source]).toEqual([201, "draft_order"]);
  expect([(await rows()).map(({ id }) => id), deletions()]).toEqual([[again.json.id], before]);
});

test("a changed checkout keeps its new draft order", async () => {
  const [{ id } = { id: "" }] = await rows();
  const before = deletions();
  const change = { line_items: itemsOf(shelf.camera, 2) };
  const send = () => act(service, shopper, id, "update", change, { "Idempotency-Key": "2" });
  const lost = await loseCommit(
    "UPDATE checkout_sessions SET replaced_carts",
    send,
    async () => (await rows())[0]?.quantity === 2,
  );
  expect(lost.status).toBe(503);
  expect([(await send()).status, deletions()]).toEqual([200, before]);
});

test("a checkout that was not committed leaves no draft order", async () => {
  const before = deletions();
  const known = await rows();
  const { held, release } = proxy.hold("INSERT INTO checkout_sessions");
  const answer = makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera) });
  await held;
  proxy.cut();
  release();
  expect((await answer).status).toBe(503);
  expect([await rows(), deletions()]).toEqual([known, before + 1]);
});
