// Warehouse events: their effects in the built-in backend, and their archive.
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueue, type BusEvent } from "../../app/domain/bus/enqueue.ts";
import { startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";

let app: ChannelApp;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const SHA = "ab".repeat(32);
const query = (text: string, values: unknown[] = []) => app.service.database.query(text, values);

type Unit = {
  type?: string;
  payload?: Record<string, unknown>;
  shop?: string;
  channel?: string;
  at?: string;
  source?: string;
};

async function send({
  type = "unit.shipped",
  payload = {},
  shop = SHOP,
  channel = "backend",
  at = "2026-03-01T10:00:00.000Z",
  source = "wms",
}: Unit = {}): Promise<string> {
  const eventId = randomUUID();
  const event: BusEvent = {
    eventId,
    source,
    eventType: type,
    entityType: "inventory",
    entityId: "SN-1",
    payload: { mpn: "CAM-9", serial: "SN-1", ...payload },
    occurredAt: new Date(at),
    destinations: [channel],
    priority: 2,
  };
  await enqueue(app.service.ctx.home.forTenant(shop).sql, event);
  return eventId;
}
const deliver = async (unit?: Unit) => app.settled(await send(unit));

/** Processes the same row again from the start, as after a lost lease. */
async function deliverAgain(eventId: string): Promise<void> {
  await app.settled(eventId);
  await query(
    "UPDATE integration_queue SET status = 'pending', next_attempt_at = clock_timestamp() WHERE event_id = $1",
    [eventId],
  );
  await query("NOTIFY integration_queue");
  await app.settled(eventId);
}

describe("a shipped unit", () => {
  beforeEach(() =>
    query(
      "INSERT INTO firmware_registry (shop, mpn, version, sha256) VALUES ($1, 'CAM-9', '1.4.2', $2)",
      [SHOP, SHA],
    ),
  );
  const ledger = () =>
    query(
      "SELECT shop, serial, mpn, firmware_version, sha256, event_id FROM firmware_ledger ORDER BY id",
    );

  test("of a product with firmware is bound to the version it shipped with, once per event", async () => {
    const eventId = await send();
    await deliverAgain(eventId);
    await query("UPDATE firmware_registry SET version = '2.0.0' WHERE shop = $1", [SHOP]);
    await deliverAgain(eventId);
    expect(await ledger()).toEqual([
      {
        shop: SHOP,
        serial: "SN-1",
        mpn: "CAM-9",
        firmware_version: "1.4.2",
        sha256: SHA,
        event_id: eventId,
      },
    ]);
  });

  test("of a product without firmware, or without a product number, is delivered and leaves no row", async () => {
    for (const mpn of ["OTHER", undefined])
      expect(await deliver({ payload: { mpn } })).toMatchObject({ status: "delivered" });
    expect(await ledger()).toEqual([]);
  });

  test("is not bound by another store's registry", async () => {
    await app.service.addTenant(OTHER_SHOP);
    expect(await deliver({ shop: OTHER_SHOP })).toMatchObject({ status: "delivered" });
    expect(await ledger()).toEqual([]);
  });

  test("is bound once, whichever event reports it, and a picked one is not", async () => {
    expect(await deliver({ type: "unit.picked" })).toMatchObject({ status: "delivered" });
    expect(await ledger()).toEqual([]);
    expect(await deliver({ source: "manual" })).toMatchObject({ status: "delivered" });
    expect(await ledger()).toHaveLength(1);
  });
});

describe("a returned unit", () => {
  const returned = (payload: Record<string, unknown>, at?: string): Unit => ({
    type: "unit.returned",
    payload: { rma_ref: "RMA-7", order_ref: "#1001", ...payload },
    ...(at && { at }),
  });
  const cases = () =>
    query("SELECT shop, rma, order_id, status, units FROM return_cases ORDER BY shop, rma");

  test("opens its case, the next one joins it, and a repeat of either changes nothing", async () => {
    const first = await send(returned({}, "2026-03-01T10:00:00.000Z"));
    await deliverAgain(first);
    const second = await send(
      returned({ serial: "SN-2", order_ref: undefined }, "2026-03-02T11:30:00.000Z"),
    );
    await deliverAgain(second);
    await deliverAgain(first);
    expect(await cases()).toEqual([
      {
        shop: SHOP,
        rma: "RMA-7",
        order_id: "#1001",
        status: "received",
        units: [
          { serial: "SN-1", mpn: "CAM-9", received_at: "2026-03-01T10:00:00.000Z" },
          { serial: "SN-2", mpn: "CAM-9", received_at: "2026-03-02T11:30:00.000Z" },
        ],
      },
    ]);
  });

  test("ten concurrent units are all in the case", async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) => send(returned({ serial: `SN-${n}` }))),
    );
    for (const id of ids)
      expect(await app.settled(id)).toMatchObject({ status: "delivered", retry_count: 0 });
    const [only, ...others] = await cases();
    expect(others).toEqual([]);
    expect(only.units.map(({ serial }: { serial: string }) => serial).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `SN-${n}`),
    );
  });

  test("of another store has its own case under the same number", async () => {
    await app.service.addTenant(OTHER_SHOP);
    await deliver(returned({}));
    await deliver({ ...returned({ order_ref: "#2" }), shop: OTHER_SHOP });
    expect(await cases()).toMatchObject([
      { shop: OTHER_SHOP, order_id: "#2", units: [{ serial: "SN-1" }] },
      { shop: SHOP, order_id: "#1001", units: [{ serial: "SN-1" }] },
    ]);
  });

  test("moves a case on from open, and never back from a later state", async () => {
    for (const [rma, status] of [
      ["RMA-7", "open"],
      ["RMA-8", "refunded"],
    ])
      await query("INSERT INTO return_cases (shop, rma, status) VALUES ($1, $2, $3)", [
        SHOP,
        rma,
        status,
      ]);
    await deliver(returned({}));
    await deliver(returned({ rma_ref: "RMA-8" }));
    expect(await cases()).toMatchObject([
      { rma: "RMA-7", status: "received" },
      { rma: "RMA-8", status: "refunded", units: [{ serial: "SN-1" }] },
    ]);
  });

  test("without an RMA makes a dead letter that says so", async () => {
    expect(await deliver(returned({ rma_ref: undefined }))).toMatchObject({
      status: "dead_letter",
      last_error: expect.stringContaining("rma_ref"),
    });
    expect(await cases()).toEqual([]);
  });
});

describe("the archive", () => {
  const folder = () => join(app.service.ctx.config.ARCHIVE_URL.replace("file:", ""), SHOP);
  const archive = () => app.service.ctx.archive.ofStore(SHOP);

  test("has warehouse events in a separate folder, and other events under the archive's name", async () => {
    const day = new Date().toISOString().slice(0, 10);
    const unit = await send({ channel: "archive" });
    const byHand = await send({ channel: "archive", source: "manual" });
    const other = await send({ channel: "archive", source: "manual", type: "inventory.changed" });
    for (const id of [unit, byHand, other]) await app.settled(id);
    const read = async (path: string) =>
      JSON.parse(String(await archive().get(path))) as Record<string, unknown>;
    expect(await read(`events/warehouse/${day}/${unit}.json`)).toMatchObject({
      event_id: unit,
      channel: "archive",
      tenant_shop: SHOP,
      transformed_payload: { serial: "SN-1" },
    });
    expect(await read(`events/warehouse/${day}/${byHand}.json`)).toMatchObject({
      source: "manual",
    });
    expect(await read(`events/archive/${day}/${other}.json`)).toMatchObject({ event_id: other });
    expect(await archive().list(`events/archive/${day}/${unit}`)).toEqual([]);
  });

  test("that fails makes a retryable failure, never a delivery", async () => {
    const blocked = join(folder(), "events/archive");
    rmSync(blocked, { recursive: true, force: true });
    await mkdir(dirname(blocked), { recursive: true });
    writeFileSync(blocked, "in the way");
    const eventId = await send({ channel: "archive", source: "manual", type: "inventory.changed" });
    expect(await app.settled(eventId)).toMatchObject({
      status: "pending",
      retry_count: 1,
      last_error: expect.stringContaining("the archive failed"),
    });
    rmSync(blocked);
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
    expect(await archive().list("events/archive/")).toHaveLength(1);
  });
});
