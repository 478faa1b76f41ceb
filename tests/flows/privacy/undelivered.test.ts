// What was not delivered of a person who is erased: it ends without being a failure that the merchant could mend.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  replay,
  sweepDeadLetters,
} from "../../../app/domain/bus/dead-letters/requeue-dead-letters.ts";
import { startReplay } from "../../../app/domain/bus/dead-letters/replay-run.ts";
import { readBusStatus } from "../../../app/domain/bus/log/bus-status.ts";
import { countDeadLetters, listDeadLetters } from "../../../app/domain/bus/log/dead-letter-list.ts";
import { getEvent } from "../../../app/domain/bus/log/event-view.ts";
import { readQueueDepths } from "../../../app/domain/bus/log/queue-depth.ts";
import { readDeliveryHealth } from "../../../app/domain/channels/delivery-health.ts";
import { replayEvent } from "../../../app/domain/merchant/event-screen.ts";
import {
  newestDeliveries,
  toSystems,
  type SystemRow,
} from "../../../app/domain/merchant/customer/systems.ts";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { findEverywhere, redact, startPrivacyService } from "../../support/privacy.ts";
import { SHOP, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
const EMAIL = "ada.waiting@example.com";

beforeAll(async () => {
  service = await startPrivacyService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { alert_emails: ["ops@store.example"] });
  tenant = await getTenant(service.ctx, SHOP);
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

/** An order in a row that no worker takes: it waits, or it is dead. */
const addRow = (eventId: string, set: string, payload: object = { email: EMAIL, total: 5 }) =>
  query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
       transformed_payload, max_retries, next_attempt_at)
     VALUES ($1, $2, 'cms', 'storefront', 'order.created', 'order', $2, $3, $3, 3, now() + interval '1 hour')`,
    [SHOP, eventId, JSON.stringify(payload)],
  ).then(() => query(`UPDATE integration_queue SET ${set} WHERE event_id = $1`, [eventId]));
const addFailure = (eventId: string) =>
  query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status, latency_ms, error)
     SELECT shop, id, event_id, channel, 1, 'failed', 503, 5, $2 FROM integration_queue WHERE event_id = $1`,
    [eventId, `answered 503: ${EMAIL}`],
  );
const DEAD =
  "status = 'dead_letter', dead_lettered_at = now() - interval '2 hours', retry_count = 3, archived_at = now()";

async function erase(named: Parameters<typeof redact>[1] = { email: EMAIL }): Promise<void> {
  expect(await redact(service, named)).toMatchObject({ state: "done" });
  expect(await findEverywhere(service, [EMAIL])).toEqual([]);
}

/** Every place that tells of failed deliveries. */
async function failuresShown() {
  const { ctx } = service;
  const [home, list, counts, status, health, depths] = await Promise.all([
    readHome(ctx, SHOP, tenant),
    listDeadLetters(ctx, tenant, { limit: 10, after: null }),
    countDeadLetters(ctx, tenant),
    readBusStatus(ctx, tenant),
    readDeliveryHealth(ctx, tenant, "24h"),
    readQueueDepths(ctx.home),
  ]);
  return {
    home: home.health.deadLetters,
    list: list.letters.length,
    counts: counts.get("cms") ?? 0,
    status: status.dead_letter.count,
    health: health.totals.dead,
    metrics: depths.queue.find((depth) => depth.status === "dead_letter")?.count ?? 0,
  };
}
const shownEverywhere = (rows: number) => ({
  home: rows,
  list: rows,
  counts: rows,
  status: rows,
  health: rows,
  metrics: rows,
});

test("what waits ends as skipped because the customer was deleted, in the row, the log and the counts", async () => {
  await addRow("fresh", "retry_count = 0");
  await addRow("retried", "retry_count = 1, last_error = 'answered 503'");
  await addFailure("retried");
  await addRow("abandoned", "status = 'ready', locked_until = now() - interval '1 minute'");
  await erase();
  expect(
    await query(
      `SELECT event_id, status, payload, transformed_payload, last_error, delivered_at IS NOT NULL AS ended,
         dead_lettered_at FROM integration_queue WHERE entity_type = 'order' ORDER BY id`,
    ),
  ).toEqual(
    ["fresh", "retried", "abandoned"].map((eventId) => ({
      event_id: eventId,
      status: "delivered",
      payload: {},
      transformed_payload: null,
      last_error: null,
      ended: true,
      dead_lettered_at: null,
    })),
  );
  for (const [eventId, attempts] of [
    ["fresh", 1],
    ["retried", 2],
    ["abandoned", 1],
  ] as const)
    expect(await getEvent(service.ctx, tenant, eventId)).toMatchObject({
      deliveries: [
        { status: "delivered", attempts, failure: null, skip: { kind: "customer_deleted" } },
      ],
    });
  expect(
    await query(
      "SELECT sum(skipped)::int AS skipped, sum(failed)::int AS failed FROM channel_minutes",
    ),
  ).toEqual([{ skipped: 3, failed: 0 }]);
});

test("what waits is no failed delivery anywhere, alerts nobody and is not replayed", async () => {
  await query(
    "UPDATE kv SET value = jsonb_set(value, '{config,flow_enabled}', 'true') WHERE key = 'tenant:' || shop",
  );
  await addRow("waiting", "retry_count = 0");
  await erase();
  expect(await failuresShown()).toEqual(shownEverywhere(0));
  expect(await replay(service.ctx, tenant, ["waiting"])).toEqual({ requeued: 0, not_found: [] });
  expect(
    await query(
      "SELECT 1 FROM integration_queue WHERE event_type IN ('mail.dead_letter', 'delivery.dead')",
    ),
  ).toEqual([]);
});

test("a dead letter stays one without its content, and is neither counted nor listed any more", async () => {
  await addRow("dead", `${DEAD}, last_error = 'answered 503'`);
  await addFailure("dead");
  await addRow("other", `${DEAD}, last_error = 'answered 503'`, { email: "grace@example.com" });
  expect(await failuresShown()).toEqual(shownEverywhere(2));
  await erase();
  expect(
    await query(
      "SELECT status, payload, last_error FROM integration_queue WHERE event_id = 'dead'",
    ),
  ).toEqual([{ status: "dead_letter", payload: {}, last_error: "redacted" }]);
  expect(await failuresShown()).toEqual(shownEverywhere(1));
  expect(await getEvent(service.ctx, tenant, "dead")).toMatchObject({
    deliveries: [{ status: "dead_letter", failure: null, skip: { kind: "customer_deleted" } }],
  });
});

test("a system to which an erased customer's delivery had failed shows as skipped, without an error to mend", async () => {
  await addRow("dead", `${DEAD}, last_error = 'answered 503', entity_type = 'customer'`);
  await erase();
  const rows = await service.ctx.home
    .forTenant(SHOP)
    .sql<SystemRow>(newestDeliveries("$2"), [["dead"]]);
  const [cms] = toSystems(service.ctx, tenant, rows).filter(({ channel }) => channel === "cms");
  expect(cms).toMatchObject({
    status: "skipped",
    reason: null,
    skip: { kind: "customer_deleted" },
  });
});

test("a dead letter without its content is never requeued: not by a replay of any kind, nor by the sweep", async () => {
  await addRow("dead", `${DEAD}, last_error = 'answered 503'`);
  await erase();
  // As the version before left rows that were waiting, also after a replay.
  await addRow(
    "former",
    `${DEAD}, last_error = 'redacted', payload = '{"user_id": 7}', transformed_payload = NULL`,
  );
  const { ctx } = service;
  const rows = await query(
    "SELECT id::int AS id, event_id FROM integration_queue WHERE status = 'dead_letter'",
  );
  expect(await replay(ctx, tenant, ["dead", "former"])).toEqual({ requeued: 0, not_found: [] });
  for (const { id, event_id: eventId } of rows as { id: number; event_id: string }[])
    for (const queueId of [id, null])
      expect(await replayEvent(ctx, tenant, eventId, { queue_id: queueId })).toEqual({
        requeued: 0,
      });
  expect(await startReplay(ctx, tenant, { channel: null })).toBe("nothing");
  expect(await startReplay(ctx, tenant, { queueIds: rows.map(({ id }) => id as number) })).toBe(
    "nothing",
  );
  expect(await sweepDeadLetters(ctx, tenant)).toBe(0);
  expect(await failuresShown()).toEqual(shownEverywhere(0));
});

test("a dead letter of which only values were masked is still listed and replayed", async () => {
  await query(
    `INSERT INTO storefront_users (shop, email, full_name, first_name, last_name)
     VALUES ($1, $2, 'Zoé Müller', 'Zoé', 'Müller')`,
    [SHOP, EMAIL],
  );
  await addRow("masked", `${DEAD}, last_error = 'refused "Zoé Müller"'`, {
    total: 5,
    shipping_address: { name: "Zoé Müller", city: "Bern" },
  });
  await erase();
  expect(
    await query("SELECT payload, last_error FROM integration_queue WHERE event_id = 'masked'"),
  ).toEqual([
    {
      payload: { total: 5, shipping_address: { name: "redacted", city: "Bern" } },
      last_error: "redacted",
    },
  ]);
  expect(await failuresShown()).toEqual(shownEverywhere(1));
  expect(await replay(service.ctx, tenant, ["masked"])).toEqual({ requeued: 1, not_found: [] });
});
