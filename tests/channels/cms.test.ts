import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { QueueItem } from "../../app/domain/bus/channel.ts";
import { cmsChannel } from "../../app/domain/channels/cms/cms.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { SECRETS, startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { eventually, SHOP } from "../support/service.ts";

let app: ChannelApp;
let userId: number;

beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.reset();
  userId = await addCustomer(app.service.database, SHOP, {
    email: `ann-${Math.random()}@example.com`,
    tags: ["vip", "ice cream"],
  });
});

const deliver = async () => app.settled(await app.send("cms", userId));
const rename = (name: string) =>
  app.service.database.query(
    "UPDATE storefront_users SET first_name = $2, full_name = $2 WHERE id = $1",
    [userId, name],
  );
const items = () =>
  app.service.sandbox.cms
    .items()
    .filter(({ fieldData }) => fieldData.slug === `customer-${userId}`);

test("an item is staged with SPEC's fields and is never published", async () => {
  await deliver();
  expect(items()).toMatchObject([
    {
      isDraft: true,
      lastPublished: null,
      fieldData: {
        name: "Ann Example",
        tags: "vip, ice cream",
        provider: "storefront",
        status: "active",
        "number-of-orders": 0,
        "consent-marketing": "false",
      },
    },
  ]);
  await rename("Anna");
  await deliver();
  expect(items()).toMatchObject([
    { isDraft: true, lastPublished: null, fieldData: { name: "Anna", "first-name": "Anna" } },
  ]);
  expect(app.service.sandbox.cms.liveCalls()).toEqual([]);
  expect(
    app.service.sandbox.requests("cms").filter(({ path }) => /live|publish/.test(path)),
  ).toEqual([]);
});

test("an unchanged customer causes no call, however often it is delivered", async () => {
  await deliver();
  const before = app.calls("cms");
  for (let n = 0; n < 5; n += 1) expect(await deliver()).toMatchObject({ status: "delivered" });
  process.stdout.write(`calls for 5 unchanged deliveries: ${app.calls("cms") - before}\n`);
  expect(app.calls("cms")).toBe(before);
  const { json } = await app.service.call(
    "GET",
    `/admin/events/log?shop=${SHOP}&channel=cms&limit=1`,
  );
  expect(json.entries[0]).toMatchObject({
    status: "delivered",
    http_status: null,
    error: "unchanged",
  });
});

test("20 concurrent deliveries of one new customer create one item, and none uses up an attempt", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => app.send("cms", userId)));
  const rows = await Promise.all(ids.map((id) => app.settled(id, 15_000)));
  expect(rows.every(({ status, retry_count: n }) => status === "delivered" && n === 0)).toBe(true);
  expect(items()).toHaveLength(1);
}, 30_000);

test("a creation whose response was lost is found by its slug and stays one item", async () => {
  app.service.sandbox.failNext("cms", { dropReply: true });
  const eventId = await app.send("cms", userId);
  expect((await app.settled(eventId)).status).toBe("pending");
  await rename("Changed meanwhile");
  expect((await app.retry(eventId)).status).toBe("delivered");
  expect(items()).toMatchObject([{ fieldData: { name: "Changed meanwhile" } }]);
});

test("the mark of a creation waits for the disk, the lease and the item's id do not", async () => {
  const { database } = app.service;
  await database.query(`
    CREATE TABLE commits (written text, is_quick boolean);
    GRANT INSERT ON commits TO PUBLIC;
    CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO commits SELECT TG_ARGV[0], source = 'session' AND setting = 'off'
        FROM pg_settings WHERE name = 'synchronous_commit';
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_lease AFTER INSERT ON kv FOR EACH ROW
      WHEN (NEW.key LIKE 'lease:cms_customer:%') EXECUTE FUNCTION note_commit('lease');
    CREATE TRIGGER note_mark AFTER UPDATE OF cms_hash ON storefront_users FOR EACH ROW
      WHEN (NEW.cms_item_id IS NULL) EXECUTE FUNCTION note_commit('mark');
    CREATE TRIGGER note_item AFTER UPDATE OF cms_hash ON storefront_users FOR EACH ROW
      WHEN (NEW.cms_item_id IS NOT NULL) EXECUTE FUNCTION note_commit('item')`);
  await deliver();
  expect(await database.query("SELECT written, is_quick FROM commits ORDER BY written")).toEqual([
    { written: "item", is_quick: true },
    { written: "lease", is_quick: true },
    { written: "mark", is_quick: false },
  ]);
  await database.query("DROP FUNCTION note_commit CASCADE; DROP TABLE commits");
});

test("an item that was deleted by hand is created again at the next change", async () => {
  await deliver();
  const [old] = items();
  const { cms, addresses } = app.service.sandbox;
  const removed = await fetch(
    `${addresses.cmsApiUrl}/collections/${cms.customersCollectionId}/items/${old?.id}`,
    { method: "DELETE", headers: { Authorization: `Bearer ${SECRETS.cms_api_token}` } },
  );
  expect(removed.status).toBe(204);
  await rename("Back again");
  expect(await deliver()).toMatchObject({ status: "delivered", retry_count: 0 });
  expect(items()).toMatchObject([{ fieldData: { name: "Back again" }, isDraft: true }]);
  expect(items()[0]?.id).not.toBe(old?.id);
});

test("a truncated JSON response is a failure, and the item exists once after the retry", async () => {
  app.service.sandbox.failNext("cms", { garbage: true });
  const eventId = await app.send("cms", userId);
  expect(await app.settled(eventId)).toMatchObject({
    status: "pending",
    last_error: expect.stringContaining("not JSON"),
  });
  expect((await app.retry(eventId)).status).toBe("delivered");
  expect(items()).toHaveLength(1);
});

test.each(["{}", "null", "[]", '{"id":""}', '{"id":7}'])(
  "a creation that is answered without the item's id is a failure, and the item exists once after the retry: %s",
  async (body) => {
    app.service.sandbox.failNext("cms", { status: 202, body });
    const eventId = await app.send("cms", userId);
    expect(await app.settled(eventId)).toMatchObject({
      status: "pending",
      last_error: expect.stringContaining("something that is not"),
    });
    expect((await app.retry(eventId)).status).toBe("delivered");
    expect(items()).toHaveLength(1);
    expect(
      await app.service.database.query("SELECT cms_item_id FROM storefront_users WHERE id = $1", [
        userId,
      ]),
    ).toEqual([{ cms_item_id: items()[0]?.id }]);
  },
);

test("a delivery that waited writes the newest state, not the one it had read", async () => {
  const { ctx } = app.service;
  const tenant = await getTenant(ctx, SHOP);
  const item: QueueItem = {
    shop: SHOP,
    queueId: 1,
    eventId: randomUUID(),
    channel: "cms",
    source: "storefront",
    eventType: "customer.updated",
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId },
    priority: 3,
    retryCount: 0,
    maxRetries: 3,
    createdAt: new Date(),
    occurredAt: new Date(),
    isArchiveOnly: false,
    attemptToken: randomUUID(),
    traceParent: null,
  };
  const overtaken = await cmsChannel.transform(ctx, tenant, item);
  await rename("Newest");
  await deliver();
  await cmsChannel.deliver(ctx, tenant, item, overtaken);
  expect(items()).toMatchObject([{ fieldData: { name: "Newest" } }]);
});

test("another delivery's lease on the customer defers this one without using up an attempt", async () => {
  await app.service.database.query(
    "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, $2, '\"somebody\"', clock_timestamp() + interval '1 minute')",
    [SHOP, `lease:cms_customer:${userId}`],
  );
  const eventId = await app.send("cms", userId);
  await eventually("a deferral", () =>
    app.service.logged.some(
      ({ event, event_id: id, outcome }) =>
        event === "delivery.attempted" && id === eventId && outcome === "deferred",
    ),
  );
  expect(items()).toHaveLength(0);
  await app.service.database.query(
    "UPDATE kv SET expires_at = clock_timestamp() WHERE key LIKE 'lease:cms_customer:%'",
  );
  expect(await app.settled(eventId)).toMatchObject({ status: "delivered", retry_count: 0 });
});
