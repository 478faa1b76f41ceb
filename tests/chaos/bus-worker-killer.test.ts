// An event that crashes its workers, and the events that were in flight with it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endChildren, startRoles, type Child } from "../support/processes/child.ts";
import {
  ERP_FIELDS,
  startErpReceiver,
  takeDocument,
  type ErpReceiver,
} from "../support/bus/erp-receiver.ts";
import { sendEvent, sendEvents } from "../support/bus/event-load.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let erp: ErpReceiver;

beforeAll(async () => {
  service = await startService();
  erp = await startErpReceiver();
});
afterAll(async () => {
  await endChildren();
  await erp.stop();
  await service.stop();
});
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { ...ERP_FIELDS, erp_base_url: erp.url });
  erp.received.length = 0;
});

const startWorker = () => startRoles(service, "worker");
const query = (sql: string) => service.database.query(sql);
const letLeasesRunOut = () =>
  query(
    "UPDATE integration_queue SET locked_until = clock_timestamp() WHERE locked_by IS NOT NULL",
  );
const rows = (): Promise<
  { event_id: string; status: string; last_error: string | null; retry_count: number }[]
> =>
  query(
    "SELECT event_id, status, last_error, retry_count FROM integration_queue WHERE channel = 'erpsys'",
  );

test("an event that crashed three workers alone becomes a dead letter with its reason; the 40 events in flight with the first crash are delivered", async () => {
  const killer = await sendEvent(service.url);
  const others = await sendEvents(service.url, 40);
  let worker: Child | null = null;
  let deaths = 0;
  erp.answer((response, eventId) => {
    if (eventId !== killer.eventId) return void setTimeout(takeDocument, 40, response);
    deaths += 1;
    worker?.signal("SIGKILL");
  });
  // At the first crash other deliveries were in flight, so it counts for none of them.
  for (let n = 1; n <= 4; n += 1) {
    worker = await startWorker();
    await worker.ended;
    expect(deaths).toBe(n);
    await letLeasesRunOut();
  }
  worker = await startWorker();
  const settled = await eventually("every row settled", async () => {
    const all = await rows();
    return all.every(({ status }) => status === "delivered" || status === "dead_letter") && all;
  });
  process.stdout.write(
    `an event that kills its worker: ${deaths} workers died, then ${settled.filter(({ status }) => status === "dead_letter").length} dead letter; of ${others.length} beside it delivered ${settled.filter(({ status }) => status === "delivered").length}\n`,
  );
  expect(settled.filter(({ status }) => status === "dead_letter")).toEqual([
    { event_id: killer.eventId, status: "dead_letter", last_error: "worker_lost", retry_count: 0 },
  ]);
  expect(settled).toHaveLength(1 + others.length);
  expect(worker.hasEnded()).toBe(false);
  await endChildren();
});

test("a lone event that kills its worker is a dead letter after the third crash", async () => {
  await sendEvent(service.url);
  let worker: Child | null = null;
  erp.answer(() => worker?.signal("SIGKILL"));
  for (let n = 1; n <= 3; n += 1) {
    worker = await startWorker();
    await worker.ended;
    await letLeasesRunOut();
  }
  worker = await startWorker();
  await eventually("the dead letter", async () => (await rows())[0]?.status === "dead_letter");
  expect(await rows()).toMatchObject([{ last_error: "worker_lost", retry_count: 0 }]);
  expect([erp.received.length, worker.hasEnded()]).toEqual([3, false]);
  await endChildren();
});

test("workers killed three times in a row with a long backlog at a hanging system: no dead letter, no attempt used up, everything delivered", async () => {
  await sendEvents(service.url, 60);
  for (let n = 0; n < 3; n += 1) {
    const arrived = erp.received.length;
    erp.answer(() => {});
    const worker = await startWorker();
    await eventually("a delivery in flight", () => erp.received.length > arrived);
    worker.signal("SIGKILL");
    await worker.ended;
    await letLeasesRunOut();
  }
  erp.answer(takeDocument);
  await startWorker();
  const settled = await eventually("every row settled", async () => {
    const all = await rows();
    return all.every(({ status }) => status === "delivered" || status === "dead_letter") && all;
  });
  process.stdout.write(
    `3 kills over a backlog of ${settled.length}: dead letters ${settled.filter(({ status }) => status === "dead_letter").length}, arrived twice ${erp.twice()}\n`,
  );
  expect(settled.filter(({ status, retry_count: n }) => status !== "delivered" || n > 0)).toEqual(
    [],
  );
  await endChildren();
});
