// Database connections that stall: they stay open but no data arrives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabaseProxy, type DatabaseProxy } from "../support/processes/database-proxy.ts";
import { ERP_FIELDS, startErpReceiver, type ErpReceiver } from "../support/bus/erp-receiver.ts";
import { sendEvent, sendEvents } from "../support/bus/event-load.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

/** The statement timeout of ten seconds, and time to resume on a machine that does other work. */
const GOES_ON_WITHIN_MS = 15_000;

let service: Service;
let erp: ErpReceiver;
let line: DatabaseProxy;

beforeAll(async () => {
  service = await startService({
    background: true,
    databaseThrough: async (directUrl) => {
      line = await startDatabaseProxy(directUrl);
      return line.url;
    },
  });
  erp = await startErpReceiver();
  await service.addTenant(SHOP, { ...ERP_FIELDS, erp_base_url: erp.url });
});
afterAll(async () => {
  await erp.stop();
  await service.stop();
  await line.stop();
});

const undelivered = async () =>
  (await service.database.query(
    "SELECT status, retry_count, last_error FROM integration_queue WHERE status <> 'delivered' OR retry_count > 0",
  )) as object[];

test("all connections stall while new ones work: within the statement timeout events are accepted and delivered again, and none is lost", async () => {
  await sendEvents(service.url, 40);
  await eventually("quiet", async () => (await undelivered()).length === 0);
  line.deafen();
  const silentAt = performance.now();
  const during = [sendEvent(service.url), sendEvent(service.url)];
  const taken = await eventually(
    "an event taken",
    async () => {
      const sent = await sendEvent(service.url);
      return sent.status === 202 && sent;
    },
    GOES_ON_WITHIN_MS * 2,
  );
  const takenAfter = performance.now() - silentAt;
  await eventually(
    "its delivery",
    () => erp.received.includes(taken.eventId),
    GOES_ON_WITHIN_MS * 2,
  );
  const deliveredAfter = performance.now() - silentAt;
  const answers = (await Promise.all(during)).map(({ status }) => status);
  process.stdout.write(
    `silent lines: events taken again after ${Math.round(takenAfter)} ms, delivered again after ${Math.round(deliveredAfter)} ms, those under way answered ${answers.join(" ")}\n`,
  );
  expect(answers.filter((status) => status !== 202 && status !== 503)).toEqual([]);
  expect(deliveredAfter).toBeLessThan(GOES_ON_WITHIN_MS);
  await eventually(
    "everything delivered without a retry",
    async () => (await undelivered()).length === 0,
    20_000,
  );
});
