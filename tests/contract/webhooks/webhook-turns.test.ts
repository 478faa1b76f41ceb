// Many stores and one inbox: what one store sends, and how its admin answers, holds up no other store.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  claimWebhooks,
  INBOX_CONCURRENCY,
  postponeWebhook,
  releaseWebhooks,
} from "../../../app/domain/customers/webhooks/webhook-inbox.ts";
import type { Turns } from "../../../app/runtime/database/queue/claim-in-turns.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  executedPlanOf,
  recordStatements,
  rowsRead,
} from "../../support/statements/statement-plans.ts";
import { connectStore, deliver, send } from "../../support/storefront/storefront.ts";

const customer = (id: number) =>
  JSON.stringify({
    admin_graphql_api_id: `gid://shopify/Customer/${id}`,
    email: `c${id}@shopper.example`,
    first_name: "Ada",
    updated_at: "2026-11-22T10:00:00Z",
  });

describe("a store whose admin does not answer", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ background: true });
    await connectStore(service, SHOP);
    await connectStore(service, OTHER_SHOP);
  });
  afterAll(() => service.stop());
  afterEach(() => service.sandbox.clearFaults());

  test("does not hold up the webhooks of other stores", async () => {
    const { gid } = service.sandbox.storefront.putCustomer(OTHER_SHOP, { firstName: "Eve" });
    const inWork = async () =>
      (
        await service.database.query(
          "SELECT 1 FROM webhook_inbox WHERE shop = $1 AND status = $2",
          [SHOP, "processing"],
        )
      ).length;
    service.sandbox.failNext("storefront", { hang: 8_000, match: `${SHOP}/admin` }, Infinity);
    for (let id = 1; id <= 2 * INBOX_CONCURRENCY; id += 1)
      await send(service, "customer-update", customer(id));
    await eventually("its slots full", async () => (await inWork()) >= 12);
    for (let n = 0; n < 3; n += 1)
      await deliver(service, "customer-update", customer(Number(gid.split("/").at(-1))), {
        shop: OTHER_SHOP,
      });
    expect(await inWork()).toBe(12);
  });
});

describe("a claim", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(() => service.database.truncate());

  const nameOf = (n: number) => `s${String(n).padStart(4, "0")}.myshopify.com`;
  const insert = (shop: string, rows: number, dueInSeconds = -60) =>
    service.database.query(
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, next_attempt_at)
        SELECT $1, 'd' || n, 'customers/update', '{}', clock_timestamp() + make_interval(secs => $3 + n * 0.001)
        FROM generate_series(1, $2::int) n`,
      [shop, rows, dueInSeconds],
    );
  const newTurns = (inWork: Record<string, number> = {}): Turns => ({
    lastShop: "",
    inWork: new Map(Object.entries(inWork)),
  });
  const claim = async (limit: number, turns = newTurns()) =>
    (await claimWebhooks(service.ctx.home, limit, turns)).map(({ shop }) => shop);
  const countsOf = (shops: string[]) =>
    Object.fromEntries(
      [...new Set(shops)].map((s) => [s, shops.filter((one) => one === s).length]),
    );

  test("takes a row of each store before the second of any, although one has waited longer", async () => {
    await insert(nameOf(1), 300, -3_600);
    await insert(nameOf(2), 2);
    await insert(nameOf(3), 1);
    expect(countsOf(await claim(8))).toEqual({ [nameOf(1)]: 5, [nameOf(2)]: 2, [nameOf(3)]: 1 });
  });

  test("takes at most twelve of a store, with those in work, in the order of arrival", async () => {
    await insert(nameOf(1), 300);
    const items = await claimWebhooks(service.ctx.home, 48, newTurns({ [nameOf(1)]: 5 }));
    expect(items.map(({ deliveryId }) => deliveryId)).toEqual([
      "d1",
      "d2",
      "d3",
      "d4",
      "d5",
      "d6",
      "d7",
    ]);
    expect(await claim(48, newTurns({ [nameOf(1)]: 12 }))).toEqual([]);
  });

  test("of one row at a time serves the stores in turn", async () => {
    for (const n of [1, 2, 3]) await insert(nameOf(n), 10);
    const turns = newTurns();
    const served: string[] = [];
    for (let n = 0; n < 6; n += 1) served.push(...(await claim(1, turns)));
    expect(served).toEqual([1, 2, 3, 1, 2, 3].map(nameOf));
  });

  test("does not read the webhooks that wait for a later attempt, whatever the statistics say", async () => {
    await service.database.query("VACUUM ANALYZE webhook_inbox");
    await insert(nameOf(1), 5_000, 3_600);
    const readByClaim = async () => {
      const sent = await recordStatements(() => claim(8));
      const statement = sent.find(({ text }) => text.includes("webhook_inbox"));
      if (!statement) throw new Error("The claim sent no statement.");
      return rowsRead(await executedPlanOf(service.database.url, statement), "webhook_inbox");
    };
    expect(await readByClaim()).toBeLessThan(50);
    await service.database.query("VACUUM ANALYZE webhook_inbox");
    expect(await readByClaim()).toBeLessThan(50);
  });

  test("reaches a store behind hundreds that wait for their time or have enough in work", async () => {
    await service.database.query(
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, next_attempt_at)
        SELECT 's' || lpad(n::text, 4, '0') || '.myshopify.com', 'd', 'customers/update', '{}',
          clock_timestamp() + interval '1 hour' FROM generate_series(1, 450) n`,
    );
    await insert("a.myshopify.com", 30);
    await insert("z.myshopify.com", 2);
    const turns = newTurns({ "a.myshopify.com": 12 });
    expect(await claim(48, turns)).toEqual(["z.myshopify.com", "z.myshopify.com"]);
    expect(await claim(48, turns)).toEqual([]);
    await insert("b.myshopify.com", 1);
    expect(await claim(48, { ...turns, lastShop: "y.myshopify.com" })).toEqual(["b.myshopify.com"]);
  });

  test("leaves the rows of a store that moves to another cell", async () => {
    for (const n of [1, 2]) await insert(nameOf(n), 1);
    await service.database.query(
      "INSERT INTO held_stores (shop, move_id, role) VALUES ($1, gen_random_uuid(), 'leaving')",
      [nameOf(1)],
    );
    expect(await claim(8)).toEqual([nameOf(2)]);
  });

  test("never shares a row with another one at the same time, and together they get all", async () => {
    for (let n = 1; n <= 40; n += 1) await insert(nameOf(n), 5);
    const claimed: string[] = [];
    const all = async () => {
      const turns = newTurns();
      for (;;) {
        const items = await claimWebhooks(service.ctx.home, 16, turns);
        if (items.length === 0) return;
        claimed.push(...items.map(({ shop, id }) => `${shop} ${id}`));
      }
    };
    await Promise.all(Array.from({ length: 8 }, all));
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBe(200);
  });

  test("takes rows of dead workers first", async () => {
    await insert(nameOf(1), 3);
    await insert(nameOf(2), 1);
    const lost = await claimWebhooks(service.ctx.home, 1, newTurns());
    await service.database.query(
      "UPDATE webhook_inbox SET locked_until = now() - interval '1 s' WHERE locked_until IS NOT NULL",
    );
    const again = await claimWebhooks(service.ctx.home, 1, newTurns());
    expect(again.map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
    await releaseWebhooks(service.ctx.home, again);
  });

  test("of a row that fails is repeated after 10 s, 30 s, and 2, 10 and 30 minutes, and then no more", async () => {
    await insert(nameOf(1), 1);
    const waits: unknown[] = [];
    for (let failures = 1; failures <= 6; failures += 1) {
      const [item] = await claimWebhooks(service.ctx.home, 1, newTurns());
      if (!item) throw new Error("the row is not due");
      await postponeWebhook(service.ctx.home, item, "it broke");
      const [row] = await service.database.query(
        `SELECT status, 10 * round(extract(epoch FROM next_attempt_at - clock_timestamp()) / 10)::int AS seconds
          FROM webhook_inbox`,
      );
      waits.push(row.status === "pending" ? row.seconds : row.status);
      await service.database.query("UPDATE webhook_inbox SET next_attempt_at = now()");
    }
    expect(waits).toEqual([10, 30, 120, 600, 1_800, "failed"]);
    expect(await claim(1)).toEqual([]);
  });
});
