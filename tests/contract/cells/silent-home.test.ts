// A home database that answers nothing, without refusing: the stores of other cells do not wait for it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { sendEvent } from "../../support/bus/event-load.ts";
import { sendWebhook } from "../../support/bus/webhook-load.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let home: DatabaseProxy;
let eu: TestDatabase;

beforeAll(async () => {
  eu = await freshDatabase();
  service = await startService({
    background: true,
    env: { DATABASE_URL_EU: eu.serviceUrl },
    databaseThrough: async (url) => (home = await startDatabaseProxy(url)).url,
  });
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  await changeTenantRecord(service.ctx, SHOP, { set: { region: "eu" } });
  // From here on the process knows the store and the archive.
  await deliver();
});
afterEach(() => home.restore());
afterAll(async () => {
  await service.stop();
  await home.stop();
  await eu.drop();
});

async function deliver(): Promise<void> {
  const { eventId } = await sendEvent(service.url, { destinations: ["archive"] });
  await eventually("the delivery", async () => {
    const rows = await eu.query(
      "SELECT 1 FROM integration_queue WHERE event_id = $1 AND status = 'delivered'",
      [eventId],
    );
    return rows.length === 1;
  });
}

/** A request that needs home, and whether it was answered yet: with 503 when the limit of its statement is reached. */
function askHome() {
  const asked = { isAnswered: false, status: 0 };
  const answer = service.call("GET", `/config?shop=${OTHER_SHOP}`).then(({ status }) => {
    Object.assign(asked, { isAnswered: true, status });
  });
  return { asked, answer };
}

/** Each of them asks for the store, in two rounds. */
async function useStore(from: number): Promise<number[]> {
  const statuses: number[] = [];
  for (const n of [from, from + 1]) {
    const [event, webhook, session] = await Promise.all([
      sendEvent(service.url),
      sendWebhook(service.url, n),
      service.call("GET", `/auth/me?shop=${SHOP}`, { key: null }),
    ]);
    statuses.push(event.status, webhook.status, session.status);
  }
  return statuses;
}

describe("while the home database is silent", () => {
  test("the known stores of other cells are served before any statement at home has failed, and after it as well", async () => {
    home.silence();
    // The first request that needs home waits for a connection in use, the second one for a new connection.
    for (const from of [0, 100]) {
      const { asked, answer } = askHome();
      expect(await useStore(from)).toEqual([202, 200, 401, 202, 200, 401]);
      expect(asked.isAnswered).toBe(false);
      await answer;
      expect(asked.status).toBe(503);
    }
  });

  test("their deliveries are made", async () => {
    home.silence();
    const { asked, answer } = askHome();
    await deliver();
    expect(asked.isAnswered).toBe(false);
    await answer;
  });

  test("a store that left its cell is not served by what is remembered of it", async () => {
    home.silence();
    await eu.query(
      "INSERT INTO held_stores (shop, move_id, role, is_held) VALUES ($1, gen_random_uuid(), 'gone', false)",
      [SHOP],
    );
    expect((await sendEvent(service.url)).status).toBe(503);
    await eu.query("DELETE FROM held_stores");
  });
});

describe("once the home database answers again", () => {
  test("a setting that was changed meanwhile counts, although no request waited for home", async () => {
    home.silence();
    expect((await sendEvent(service.url)).status).toBe(202);
    await service.database.query(
      `UPDATE kv SET version = version + 1, value = value || '{"brand_name":"Renamed"}'
        WHERE key = $1`,
      [`tenant:${SHOP}`],
    );
    await home.restore();
    await eventually(
      "the new name",
      async () => (await getTenant(service.ctx, SHOP)).config.brand_name === "Renamed",
    );
  });
});
