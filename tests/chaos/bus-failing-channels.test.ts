// One store's ERP fails in every way. Neither the store's other channels nor other stores are affected.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endChildren, startRoles } from "../support/processes/child.ts";
import {
  ERP_FIELDS,
  startErpReceiver,
  takeDocument,
  type ErpReceiver,
} from "../support/bus/erp-receiver.ts";
import { sendEvents } from "../support/bus/event-load.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

const EVENTS = 40;
/** A hanging ERP times out after 15 s: a delivery that waited for it would exceed this. */
const WITHOUT_WAITING_MS = 10_000;
/**
 * A healthy tenant channel; its circuit opens at the fifth failure, and deliveries in flight
 * complete.
 */
const CONCURRENCY_PER_TENANT = 16;
const DESTINATIONS = ["erpsys", "web_analytics"];

let service: Service;
let sick: ErpReceiver;
let well: ErpReceiver;

beforeAll(async () => {
  service = await startService();
  [sick, well] = [await startErpReceiver(), await startErpReceiver()];
  await startRoles(service, "worker");
});
afterAll(async () => {
  await endChildren();
  await Promise.all([sick.stop(), well.stop()]);
  await service.stop();
});
beforeEach(async () => {
  sick.hangUp();
  // Lets the hanging deliveries fail and settle now, so that they do not affect the next test.
  await eventually(
    "quiet",
    async () =>
      (await service.database.query("SELECT 1 FROM integration_queue WHERE locked_by IS NOT NULL"))
        .length === 0,
    20_000,
  );
  await service.database.truncate();
  await service.addTenant(SHOP, { ...ERP_FIELDS, erp_base_url: sick.url });
  await service.addTenant(OTHER_SHOP, { ...ERP_FIELDS, erp_base_url: well.url });
  sick.received.length = 0;
});

type Row = {
  shop: string;
  channel: string;
  status: string;
  retry_count: number;
  lease_lost: number;
  seconds: number;
};
const rows = (): Promise<Row[]> =>
  service.database.query(
    `SELECT shop, channel, status, retry_count, lease_lost, extract(epoch
      FROM delivered_at - created_at)::float8 AS seconds FROM integration_queue`,
  );
const isSick = ({ shop, channel }: Row) => shop === SHOP && channel === "erpsys";
const slowest = (list: readonly Row[]) =>
  Math.round(Math.max(...list.map(({ seconds }) => seconds)) * 1_000);

/**
 * Sends events for both stores; resolves once everything except the failing tenant channel is
 * delivered.
 */
async function deliverBeside(): Promise<{ beside: Row[]; pair: Row[] }> {
  const sent = (
    await Promise.all(
      [SHOP, OTHER_SHOP].map((shop) =>
        sendEvents(service.url, EVENTS, { shop, destinations: DESTINATIONS }),
      ),
    )
  ).flat();
  expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
  return eventually(
    "everything beside the sick pair delivered",
    async () => {
      const all = await rows();
      const beside = all.filter((row) => !isSick(row));
      return (
        beside.length === EVENTS * 3 &&
        beside.every(({ status }) => status === "delivered") && { beside, pair: all.filter(isSick) }
      );
    },
    WITHOUT_WAITING_MS,
  );
}

test("a healthy ERP receives everything (the baseline)", async () => {
  sick.answer(takeDocument);
  const { beside } = await deliverBeside();
  process.stdout.write(
    `everything healthy: the slowest of ${beside.length} deliveries took ${slowest(beside)} ms\n`,
  );
  expect(beside.filter(({ retry_count, lease_lost }) => retry_count + lease_lost > 0)).toEqual([]);
});

test.each<[string, Parameters<ErpReceiver["answer"]>[0]]>([
  ["hangs", () => {}],
  ["answers 500", (response) => void response.writeHead(500).end("down")],
  [
    "answers 429",
    (response) => void response.writeHead(429, { "Retry-After": "60" }).end("slow down"),
  ],
  [
    "answers with bytes that are no HTTP",
    (response) => void response.socket?.end("%PDF-1.7 no answer at all\r\n\r\n"),
  ],
  [
    "answers with half a body",
    (response) =>
      void response
        .writeHead(201, { "Content-Length": "1000" })
        .write('{"d":', () => response.destroy()),
  ],
  [
    "sends its body byte by byte without end",
    (response) => {
      response.writeHead(201);
      const drip = setInterval(() => response.write(" "), 100);
      response.once("close", () => clearInterval(drip));
    },
  ],
  ["resets the connection", (response) => void response.socket?.resetAndDestroy()],
])(
  "an ERP that %s: no other channel is affected, its calls stay within its concurrency limit, and no event for it is lost",
  async (how, answer) => {
    sick.answer(answer);
    const { beside, pair } = await deliverBeside();
    process.stdout.write(
      `an ERP that ${how}: the slowest of ${beside.length} deliveries beside it took ${slowest(beside)} ms, calls to it ${sick.received.length}\n`,
    );
    expect(beside.filter(({ retry_count, lease_lost }) => retry_count + lease_lost > 0)).toEqual(
      [],
    );
    expect(pair).toHaveLength(EVENTS);
    expect(pair.filter(({ status }) => status === "delivered" || status === "dead_letter")).toEqual(
      [],
    );
    expect(sick.received.length).toBeLessThanOrEqual(CONCURRENCY_PER_TENANT);
    expect(sick.received.length).toBeGreaterThan(0);
  },
);

test("a CMS that answers 200 with an invalid body: the other channels are unaffected, and nothing counts as delivered there", async () => {
  service.sandbox.failNext("cms", { garbage: true }, Infinity);
  sick.answer(takeDocument);
  const userId = await addCustomer(service.database, SHOP);
  for (let n = 0; n < 10; n += 1) {
    const event = {
      source: "manual",
      event_type: "customer.updated",
      entity_id: String(userId),
      timestamp: `2026-11-21T10:00:0${n}Z`,
      payload: { user_id: userId, first_name: "Ann" },
      destinations: ["cms", "web_analytics", "erpsys"],
    };
    expect(
      (await service.call("POST", `/events/ingest?shop=${SHOP}`, { body: event })).status,
    ).toBe(202);
  }
  const all = await eventually(
    "everything beside the CMS delivered",
    async () => {
      const list = await rows();
      return (
        list.filter(({ channel, status }) => channel !== "cms" && status === "delivered").length ===
          20 && list
      );
    },
    WITHOUT_WAITING_MS,
  );
  expect(all.filter(({ channel, retry_count: n }) => channel !== "cms" && n > 0)).toEqual([]);
  await eventually("the CMS called", () => service.sandbox.requests("cms").length > 0);
  const cms = (await rows()).filter(({ channel }) => channel === "cms");
  process.stdout.write(
    `a CMS that answers garbage: calls to it ${service.sandbox.requests("cms").length}, delivered there ${cms.filter(({ status }) => status === "delivered").length}\n`,
  );
  expect(cms.filter(({ status }) => status === "delivered" || status === "dead_letter")).toEqual(
    [],
  );
  service.sandbox.clearFaults();
});
