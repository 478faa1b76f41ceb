// The life of a permanently failed delivery: archived, reported, swept, replayed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  replay,
  sweepDeadLetters,
} from "../../app/domain/bus/dead-letters/requeue-dead-letters.ts";
import { startWorker, type Worker } from "../../app/domain/bus/worker.ts";
import { saveTenantConfig } from "../../app/domain/tenants/settings/configuration.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { ingest, order } from "../support/bus/events.ts";
import { installStore } from "../support/storefront/synced-store.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let worker: Worker;
let mails = 0;
const movedTo = mkdtempSync(join(tmpdir(), "customer-identity-moved-"));
beforeAll(async () => {
  // Dead letters are filed at the poll.
  const env = { ADMIN_EMAILS: "operator@service.example", WORKER_POLL_MS: "100" };
  service = await startService({ env });
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
  rmSync(movedTo, { recursive: true, force: true });
});
beforeEach(async () => {
  await worker?.stop();
  await service.database.truncate();
  service.sandbox.clearFaults();
  mails = service.sandbox.email.inbox().length;
  await service.addTenant(SHOP, {
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    erp_username: "erp",
    erp_password: "erp-password-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
    retail_analytics_b_url: service.sandbox.addresses.retailAnalyticsBUrl,
  });
  worker = await startWorker(service.ctx, service.ctx.home);
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const today = () => new Date().toISOString().slice(0, 10);
const alerts = () =>
  service.sandbox.email
    .inbox()
    .slice(mails)
    .filter(({ subject }) => /failed/.test(subject));
const filed = async (eventId: string, channels: number) =>
  eventually("the dead letter to be filed", async () => {
    const [row] = await query(
      `SELECT count(*)::int AS n FROM integration_queue WHERE event_id = $1
        AND status = 'dead_letter' AND archived_at IS NOT NULL`,
      [eventId],
    );
    return (
      row.n === channels &&
      (JSON.parse(
        readFileSync(
          fileURLToPath(
            service.ctx.archive
              .ofStore(SHOP)
              .urlOf(`events/dead_letter/${today()}/${eventId}.json`),
          ),
          "utf8",
        ),
      ) as { channels: { channel: string; error: string }[] })
    );
  });
/** A 400 from the ERP is permanent; an order without a customer must not be measured. */
const die = async (destinations = ["erpsys"]) => {
  service.sandbox.failNext("erp", { status: 400 });
  return (await ingest(service, order({ destinations }))).json.event_id as string;
};

test("a dead letter is archived under its day and event with its reason, and the operators are mailed once in 15 minutes per channel", async () => {
  const first = await die();
  expect(await filed(first, 1)).toMatchObject({
    event_id: first,
    tenant_shop: SHOP,
    event_type: "order.created",
    channels: [
      {
        channel: "erpsys",
        error: expect.stringContaining("400"),
        payload: { total_price: "12.50" },
      },
    ],
  });
  const second = await die();
  await filed(second, 1);
  const [mail] = await eventually("the alert", () => alerts().length > 0 && alerts());
  expect(mail).toMatchObject({
    to: ["operator@service.example"],
    subject: expect.stringContaining("Deliveries to ERP system failed"),
  });
  expect(mail?.text).toContain("Attempts made: 1.");
  expect(mail?.text).toMatch(new RegExp(`/admin/apps/[^/]+/app/events/event/${first}`));
  expect(alerts()).toHaveLength(1);
  await query("UPDATE kv SET expires_at = now() WHERE key LIKE 'dead_letter_alert:%'");
  const alert_emails = ["ops@test-store.example", "desk@test-store.example"];
  await saveTenantConfig(service.ctx, SHOP, { alert_emails }, { by: "operator" });
  await filed(await die(), 1);
  const [, another] = await eventually("the second alert", () => alerts().length === 2 && alerts());
  expect(another?.to).toEqual(alert_emails);
  await saveTenantConfig(service.ctx, SHOP, { alert_emails: null }, { by: "operator" });
});

test("without recipients and a support address the store's own address is mailed", async () => {
  await installStore(service, SHOP);
  await filed(await die(), 1);
  const [mail] = await eventually("the alert", () => alerts().length > 0 && alerts());
  expect(mail?.to).toEqual([expect.stringMatching(/@/)]);
  expect(mail?.to).not.toEqual(["operator@service.example"]);
});

test("a dead letter of a mail alerts nobody, because that mail would fail too", async () => {
  service.sandbox.failNext("email", { status: 400 });
  await die();
  const mail = await eventually("the alert is a dead letter", async () => {
    const [row] = await query(
      "SELECT event_id FROM integration_queue WHERE channel = 'email' AND status = 'dead_letter'",
    );
    return row?.event_id as string | undefined;
  });
  await filed(mail, 1);
  expect(
    await query("SELECT 1 FROM event_ledger WHERE event_type = 'mail.dead_letter'"),
  ).toHaveLength(1);
});

test("a dead letter of a store that uninstalled the app alerts nobody", async () => {
  await query(
    `UPDATE kv SET version = version + 1, value = value || jsonb_build_object('connection',
      jsonb_build_object('uninstalled_at', now())) WHERE key = $1`,
    [`tenant:${SHOP}`],
  );
  await filed(await die(), 1);
  expect(await query("SELECT 1 FROM event_ledger WHERE event_type = 'mail.dead_letter'")).toEqual(
    [],
  );
});

test("the archived object of an event has the dead letters of all its channels", async () => {
  const eventId = await die(["erpsys", "retail_analytics_b"]);
  const object = await filed(eventId, 2);
  expect(object.channels.map(({ channel }) => channel).sort()).toEqual([
    "erpsys",
    "retail_analytics_b",
  ]);
  await eventually("an alert of each channel", () => alerts().length === 2);
  for (const { text } of alerts()) expect(text).toContain("Attempts made: 1.");
});

test("a missing consent is kept as the reason and never swept; a person can replay it", async () => {
  const eventId = await die(["retail_analytics_b"]);
  expect((await filed(eventId, 1)).channels[0]?.error).toBe("consent_missing: analytics_partners");
  await query("UPDATE integration_queue SET dead_lettered_at = now() - interval '9 hours'");
  const tenant = await getTenant(service.ctx, SHOP);
  expect(await sweepDeadLetters(service.ctx, tenant)).toBe(0);
  expect(
    (
      await service.call("POST", `/admin/events/replay?shop=${SHOP}`, {
        body: { event_ids: [eventId] },
      })
    ).json.requeued,
  ).toBe(1);
});

test("the sweep retries after one, two and four hours, three times in all, each time with all attempts; a replay starts over", async () => {
  const eventId = await die();
  await filed(eventId, 1);
  await worker.stop();
  const tenant = await getTenant(service.ctx, SHOP);
  const age = (minutes: number) =>
    query(
      `UPDATE integration_queue SET status = 'dead_letter', retry_count = 4,
        dead_lettered_at = now() - make_interval(mins => $1) WHERE channel = 'erpsys'`,
      [minutes],
    );
  for (const [minutes, swept] of [
    [59, 0],
    [61, 1],
    [61, 0],
    [121, 1],
    [121, 0],
    [241, 1],
    [10_000, 0],
  ] as const) {
    await age(minutes);
    expect([minutes, await sweepDeadLetters(service.ctx, tenant)]).toEqual([minutes, swept]);
  }
  const losses = "lease_lost = 3, lost_alone = 3";
  await query(
    `UPDATE integration_queue SET ${losses} WHERE channel = 'erpsys' AND sweep_count = 3`,
  );
  expect(await replay(service.ctx, tenant, [eventId])).toEqual({ requeued: 1, not_found: [] });
  expect(
    await query(
      `SELECT sweep_count, retry_count, lease_lost, lost_alone, archived_at, alerted_at
        FROM integration_queue WHERE channel = 'erpsys'`,
    ),
  ).toEqual([
    {
      sweep_count: 0,
      retry_count: 0,
      lease_lost: 0,
      lost_alone: 0,
      archived_at: null,
      alerted_at: null,
    },
  ]);
});

test("the sweep takes the time of the last change for a row that another program made a dead letter", async () => {
  const eventId = await die();
  await filed(eventId, 1);
  await worker.stop();
  const tenant = await getTenant(service.ctx, SHOP);
  await query("UPDATE integration_queue SET dead_lettered_at = NULL WHERE event_id = $1", [
    eventId,
  ]);
  expect(await sweepDeadLetters(service.ctx, tenant)).toBe(0);
  await query(
    "UPDATE integration_queue SET updated_at = now() - interval '61 minutes' WHERE event_id = $1",
    [eventId],
  );
  expect(await sweepDeadLetters(service.ctx, tenant)).toBe(1);
});

test("a poison payload is one dead letter and blocks no later row", async () => {
  const poison = (await ingest(service, order({ destinations: ["erp_generic"] }))).json
    .event_id as string;
  const others = await Promise.all(
    Array.from(
      { length: 20 },
      async () =>
        (await ingest(service, order({ destinations: ["erpsys"] }))).json.event_id as string,
    ),
  );
  await eventually(
    "the others",
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE event_id = ANY($1) AND status = 'delivered'",
          [others],
        )
      ).length === 20,
  );
  expect((await filed(poison, 1)).channels).toHaveLength(1);
});

test("dead letters that a broken archive missed are archived once it recovers", async () => {
  const { archive } = service.ctx;
  const { ofStore } = archive;
  archive.ofStore = (shop) => ({
    ...ofStore(shop),
    put: () => Promise.reject(new Error("no space left on device")),
  });
  const eventId = (await ingest(service, order({ destinations: ["erpsys"] }))).json
    .event_id as string;
  await eventually(
    "the delivery",
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE status = 'delivered' AND archived_at IS NULL",
        )
      ).length === 1,
  );
  archive.ofStore = ofStore;
  await query("UPDATE integration_queue SET updated_at = now() - interval '1 minute'");
  await eventually(
    "the filing",
    async () =>
      (await query("SELECT 1 FROM integration_queue WHERE archived_at IS NOT NULL")).length === 1,
  );
  expect(
    JSON.parse(
      readFileSync(
        fileURLToPath(archive.ofStore(SHOP).urlOf(`events/erpsys/${today()}/${eventId}.json`)),
        "utf8",
      ),
    ),
  ).toMatchObject({ event_id: eventId });
});

test("the alert goes out while the archive takes nothing, once, and the dead letter is archived later", async () => {
  const { archive } = service.ctx;
  const { ofStore } = archive;
  archive.ofStore = (shop) => ({
    ...ofStore(shop),
    put: () => Promise.reject(new Error("no space left on device")),
  });
  const eventId = await die();
  await eventually("the alert", () => alerts().length > 0);
  // What limits the alerts of a channel does not hide a second one.
  await query("DELETE FROM kv WHERE key LIKE 'dead_letter_alert:%'");
  archive.ofStore = ofStore;
  await query("UPDATE integration_queue SET updated_at = now() WHERE status = 'dead_letter'");
  await filed(eventId, 1);
  expect(
    await query("SELECT 1 FROM integration_queue WHERE event_type = 'mail.dead_letter'"),
  ).toHaveLength(1);
});

test("one store's failing archive holds up neither dead letters nor messages of another store", async () => {
  await worker.stop();
  await service.addTenant(OTHER_SHOP);
  const rows = (shop: string) =>
    query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id,
         status, payload, transformed_payload, delivery_config, dead_lettered_at, delivered_at, updated_at)
       SELECT $1, status, 'erpsys', 'manual', 'order.created', 'order', '1', status, '{}', '{}', '{}', now(), now(),
         now() - interval '1 minute' * $2 FROM unnest(ARRAY['dead_letter', 'delivered']) AS status`,
      [shop, shop === SHOP ? 10 : 5],
    );
  const { archive } = service.ctx;
  const { ofStore } = archive;
  archive.ofStore = (shop) =>
    shop === SHOP
      ? { ...ofStore(shop), put: () => Promise.reject(new Error("access denied")) }
      : ofStore(shop);
  for (const shop of [SHOP, OTHER_SHOP]) await rows(shop);
  worker = await startWorker(service.ctx, service.ctx.home);
  await eventually("the other store's rows", async () => {
    const found = await query(
      "SELECT shop FROM integration_queue WHERE channel = 'erpsys' AND archived_at IS NOT NULL",
    );
    return found.length === 2 && found.every(({ shop }: { shop: string }) => shop === OTHER_SHOP);
  });
  await eventually("both alerts", () => alerts().length === 2);
  archive.ofStore = ofStore;
  await eventually("the failure in the log", () =>
    service.logged.some(({ event, shop }) => event === "archive.failed" && shop === SHOP),
  );
});

test("the platform's saved archive replaces the deployed one", async () => {
  expect(
    (await service.call("POST", "/platform/config", { body: { archive_url: `file:${movedTo}` } }))
      .status,
  ).toBe(200);
  await eventually("an object there", async () => {
    const { json } = await ingest(service, order({ destinations: ["archive"] }));
    await eventually(
      "the delivery",
      async () =>
        (
          await query(
            "SELECT 1 FROM integration_queue WHERE event_id = $1 AND status = 'delivered'",
            [json.event_id],
          )
        ).length === 1,
    );
    return existsSync(join(movedTo, SHOP, `events/archive/${today()}/${json.event_id}.json`));
  });
});

test("a row that another program inserts is processed like any other", async () => {
  await query(
    "INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload) VALUES ($1, 'by-hand', 'nobody_here', 'manual', 'order.created', 'order', '1', '{\"a\":1}')",
    [SHOP],
  );
  await eventually(
    "the delivery",
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE event_id = 'by-hand' AND status = 'delivered'",
        )
      ).length === 1,
  );
});
