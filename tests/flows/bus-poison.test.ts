// Undeliverable events among deliverable ones.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  ERP_FIELDS,
  startErpReceiver,
  takeDocument,
  type ErpReceiver,
} from "../support/bus/erp-receiver.ts";
import { sendEvent, sendEvents } from "../support/bus/event-load.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const NEIGHBOURS = 30;
let service: Service;
let erp: ErpReceiver;

beforeAll(async () => {
  service = await startService({ background: true });
  erp = await startErpReceiver();
});
afterAll(async () => {
  await erp.stop();
  await service.stop();
});
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { ...ERP_FIELDS, erp_base_url: erp.url });
  erp.received.length = 0;
  erp.answer(takeDocument);
});

type Row = {
  event_id: string;
  status: string;
  last_error: string | null;
  archived_at: Date | null;
  created_at: Date;
};
const settled = () =>
  eventually(
    "every row settled",
    async () => {
      const rows = (await service.database.query(
        `SELECT event_id, status, last_error, archived_at, created_at FROM integration_queue
          WHERE channel = 'erpsys'`,
      )) as Row[];
      return (
        rows.every(
          ({ status, archived_at }) =>
            (status === "delivered" || status === "dead_letter") && archived_at !== null,
        ) && rows
      );
    },
    15_000,
  );
const deadLetterOf = ({ event_id, created_at }: Row) =>
  JSON.parse(
    readFileSync(
      join(
        service.ctx.config.ARCHIVE_URL.replace("file:", ""),
        SHOP,
        `events/dead_letter/${created_at.toISOString().slice(0, 10)}/${event_id}.json`,
      ),
      "utf8",
    ),
  ) as { channels: { channel: string; error: string }[] };

test("an event that the ERP always rejects is one dead letter, archived with its reason, and the events before and after it are delivered", async () => {
  const eventId = randomUUID();
  erp.answer((response, of) =>
    of === eventId ? void response.writeHead(422).end("no such material") : takeDocument(response),
  );
  const sent = [
    ...(await sendEvents(service.url, NEIGHBOURS)),
    await sendEvent(service.url, { eventId }),
    ...(await sendEvents(service.url, NEIGHBOURS)),
  ];
  expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
  const rows = await settled();
  const dead = rows.filter(({ status }) => status === "dead_letter");
  process.stdout.write(
    `one event refused for good among ${NEIGHBOURS * 2}: dead letters ${dead.length}, delivered ${rows.length - dead.length}, calls for the refused one ${erp.received.filter((id) => id === eventId).length}\n`,
  );
  expect(dead.map(({ event_id, last_error }) => [event_id, last_error])).toEqual([
    [eventId, "erpsys answered 422: no such material"],
  ]);
  expect(rows).toHaveLength(NEIGHBOURS * 2 + 1);
  expect(erp.received.filter((id) => id === eventId)).toHaveLength(1);
  expect(deadLetterOf(dead[0] as Row).channels).toMatchObject([
    { channel: "erpsys", error: "erpsys answered 422: no such material" },
  ]);
});

test("an event without required document fields is one dead letter that names them, and is never sent", async () => {
  await service.call("POST", `/config?shop=${SHOP}`, { body: { erp_defaults: { bukrs: "1000" } } });
  const whole = { name: "#1", total_price: "12.50", vkorg: "1010", vtweg: "10" };
  await sendEvents(service.url, NEIGHBOURS, { payload: whole });
  const { eventId } = await sendEvent(service.url);
  await sendEvents(service.url, NEIGHBOURS, { payload: whole });
  const rows = await settled();
  const dead = rows.filter(({ status }) => status === "dead_letter");
  expect(dead.map(({ event_id, last_error }) => [event_id, last_error])).toEqual([
    [eventId, "missing required field: vkorg, vtweg"],
  ]);
  expect(erp.received).toHaveLength(NEIGHBOURS * 2);
  expect(erp.received).not.toContain(eventId);
});

const deep = (levels: number) =>
  JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`) as unknown;

test.each<[string, Record<string, unknown>]>([
  ["nested a thousand deep", { line_items: deep(1_000), name: deep(1_000) }],
  [
    "full of other types than expected",
    {
      line_items: "none",
      total_price: { amount: [] },
      currency: 7,
      customer: "Ann",
      created_at: false,
      name: null,
      erp: [],
    },
  ],
  [
    "with numbers beyond all reason",
    {
      total_price: 1e308,
      line_items: [{ quantity: -1e308, price: "9".repeat(400) }],
      name: Number.MAX_SAFE_INTEGER,
    },
  ],
  [
    "with names that objects have of themselves",
    {
      ["__proto__x"]: 1,
      constructor: { prototype: 1 },
      toString: "x",
      hasOwnProperty: null,
      line_items: [{ constructor: 1, toString: 2 }],
    },
  ],
  [
    "with text that breaks documents",
    { name: "]]><!--&\u0001\u2028\uFFFF", line_items: [{ title: "<x>&amp;\u0008" }] },
  ],
  ["as large as one may be", { name: "#1", note: "x".repeat(200_000) }],
  [
    "with 5,000 lines",
    {
      name: "#1",
      line_items: Array.from({ length: 5_000 }, (_, n) => ({ sku: `s${n}`, quantity: 1 })),
    },
  ],
])(
  "a payload %s is rejected at ingest, delivered, or one dead letter; the others are delivered and no circuit opens",
  async (_, payload) => {
    await sendEvents(service.url, 10);
    const { eventId, status } = await sendEvent(service.url, { payload });
    await sendEvents(service.url, 10);
    expect([202, 400, 413]).toContain(status);
    const rows = await settled();
    const own = rows.filter(({ event_id }) => event_id === eventId);
    process.stdout.write(
      `answered ${status}${own.map(({ status: state, last_error }) => `, then ${state} ${last_error ?? ""}`).join()}\n`,
    );
    expect(own).toHaveLength(status === 202 ? 1 : 0);
    expect(
      rows.filter(({ event_id, status: state }) => event_id !== eventId && state !== "delivered"),
    ).toEqual([]);
    expect(
      await service.database.query(
        "SELECT 1 FROM kv WHERE key LIKE 'circuit:%' AND value->>'open_until' IS NOT NULL",
      ),
    ).toEqual([]);
  },
);
