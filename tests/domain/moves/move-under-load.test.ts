// A store is moved while its shoppers, its systems and its neighbour go on.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEventLoad } from "../../support/bus/event-load.ts";
import { signUp, syncAs, type Person } from "../../support/consent.ts";
import {
  expectNothingLeft,
  moveStore,
  startCells,
  untilEnded,
  type Cells,
} from "../../support/moves.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

const DESTINATIONS = ["web_analytics", "archive"];
let cells: Cells;

beforeAll(async () => {
  cells = await startCells({ background: true, env: { WORKER_POLL_MS: "50" } });
  for (const shop of [SHOP, OTHER_SHOP]) await cells.service.addTenant(shop);
});
afterAll(() => cells.stop());

/** Shoppers sign up and consent, one after the other; refused ones try again, as a page does. */
function startShoppers() {
  const { service } = cells;
  const people: Person[] = [];
  const failures: string[] = [];
  let consents = 0;
  let isWanted = true;
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (!String(error).includes("store_moving")) throw error;
        await pause(20);
      }
  };
  const loop = (async () => {
    while (isWanted) {
      const person = await again(() => signUp(service));
      people.push(person);
      await again(async () => {
        const { status, text } = await syncAs(service, person, { consent_marketing: true });
        if (status !== 200) throw new Error(text);
      });
      consents += 1;
    }
  })().catch((error: Error) => failures.push(error.message));
  return {
    people,
    failures,
    consents: () => consents,
    async stop() {
      isWanted = false;
      await loop;
    },
  };
}

test("nothing acknowledged is lost or delivered twice, its writes are refused for a second at most, and its neighbour notices nothing", async () => {
  const { service, eu } = cells;
  const load = startEventLoad(() => service.url, { atOnce: 2, destinations: DESTINATIONS });
  const neighbour = startEventLoad(() => service.url, {
    atOnce: 1,
    shop: OTHER_SHOP,
    destinations: DESTINATIONS,
  });
  const shoppers = startShoppers();
  await eventually("traffic", () => {
    if (shoppers.failures.length > 0) throw new Error(shoppers.failures[0]);
    return load.accepted() > 20 && shoppers.people.length > 2;
  });

  const begun = await moveStore(service, "eu");
  expect([begun.status, begun.json.ok]).toEqual([202, true]);
  expect(await moveStore(service, "eu")).toMatchObject({
    status: 409,
    json: { code: "move_in_progress", move_id: begun.json.id },
  });
  const moved = await untilEnded(service, begun.json.id as string);
  const atFlip = load.accepted();
  await eventually("traffic in the new cell", () => load.accepted() > atFlip + 10);
  await shoppers.stop();
  const [sent, beside] = await Promise.all([load.stop(), neighbour.stop()]);

  expect(moved).toMatchObject({ state: "done", error: null });
  // The database ends the barrier after a second; the measurement is this process's, which may be busy.
  expect(moved.progress.refused_ms).toBeLessThan(5_000);
  // Refused, never failed: and within one barrier's time.
  const refused = sent.filter(({ status }) => status !== 202);
  expect(new Set(refused.map(({ status }) => status)).size).toBeLessThanOrEqual(1);
  expect(refused.every(({ status }) => status === 503)).toBe(true);
  expect(beside.filter(({ status }) => status !== 202)).toEqual([]);
  expect(shoppers.failures).toEqual([]);

  const accepted = sent.filter(({ status }) => status === 202).map(({ eventId }) => eventId);
  await eventually("every delivery", async () => {
    const [row] = await eu.query(
      "SELECT count(*)::int AS n FROM integration_queue WHERE shop = $1 AND status <> 'delivered'",
      [SHOP],
    );
    return row.n === 0;
  });
  const delivered = await eu.query<{ event_id: string; rows: number; attempts: number }>(
    `SELECT l.event_id, (SELECT count(*)::int FROM integration_queue q WHERE q.shop = l.shop
        AND q.event_id = l.event_id AND q.status = 'delivered') AS rows,
      (SELECT count(*)::int FROM delivery_attempts a WHERE a.shop = l.shop
        AND a.event_id = l.event_id) AS attempts
     FROM event_ledger l WHERE l.shop = $1 AND l.event_type = 'order.created'`,
    [SHOP],
  );
  expect(delivered.map(({ event_id }) => event_id).toSorted()).toEqual(accepted.toSorted());
  expect(delivered.filter(({ rows, attempts }) => rows !== 2 || attempts !== 2)).toEqual([]);
  // The sandbox's own count: what a restart of a row would show.
  const [people] = await eu.query(
    "SELECT count(*)::int AS n FROM storefront_users WHERE shop = $1",
    [SHOP],
  );
  expect(people.n).toBe(shoppers.people.length);
  const verified = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`);
  expect(verified.json).toMatchObject({ ok: true });
  expect(
    await service.database.query("SELECT 1 FROM event_ledger WHERE shop = $1", [SHOP]),
  ).toEqual([]);
  await expectNothingLeft(eu);
  await expectNothingLeft(service.database, { guards: 1 });
}, 300_000);
