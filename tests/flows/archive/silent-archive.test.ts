// A bucket that takes connections and never answers on them, also not when it works again.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createExportLink,
  downloadByLink,
  exportPath,
} from "../../../app/domain/compliance/export/export-link.ts";
import { startPrivacyWorker } from "../../../app/domain/compliance/requests/privacy-worker.ts";
import { readSetupState } from "../../../app/domain/merchant/setup-state.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import type { ObjectStore } from "../../../app/integrations/archive/object-store.ts";
import { openObjectStore } from "../../../app/integrations/archive/own-archive.ts";
import { openStoreRoots } from "../../../app/integrations/archive/store-archive.ts";
import {
  startBucket,
  useBucketKeys,
  type BucketMood,
  type TestBucket,
} from "../../support/bucket.ts";
import { addRows } from "../../support/bus/queue.ts";
import { startWorkerApp, type WorkerApp } from "../../support/bus/worker.ts";
import { ADA, privacy, redactBody, settled } from "../../support/privacy.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

/** How long an operation may take. On a machine that is busy the answer of a bucket that works takes long, too. */
const OPERATION_MS = { well: 15_000, otherwise: 200 };

let bucket: TestBucket;
beforeAll(async () => {
  useBucketKeys();
  bucket = await startBucket();
});
afterEach(() => bucket.feel("well"));
afterAll(() => bucket.stop());

/** Waits for a bucket that works, and not for one that does not. */
function impatientArchive() {
  const [patient, impatient] = [OPERATION_MS.well, OPERATION_MS.otherwise].map((operationMs) =>
    openObjectStore(bucket.url, "/", { silenceMs: 20_000, operationMs, bytesPerMs: 100 }),
  ) as [ObjectStore, ObjectStore];
  return openStoreRoots(
    new Proxy(patient, {
      get: (_, name) => Reflect.get(bucket.mood() === "well" ? patient : impatient, name),
    }),
  );
}

describe("the bus", () => {
  let app: WorkerApp;
  beforeAll(async () => {
    app = await startWorkerApp();
  });
  beforeEach(() => app.reset());
  afterAll(() => app.stop());

  const add = (channel: string, count: number) =>
    addRows(app.service.database, { shop: SHOP, channel, count });

  it("delivers to every other system meanwhile, and writes all copies once the archive answers", async () => {
    bucket.feel("silent");
    await app.start({ archive: impatientArchive() });
    await add("fast", 20);
    // An unknown destination is archived only.
    await add("nowhere", 4);
    await app.allDelivered(20);
    await eventually("a failed attempt of each row that is archived only", async () =>
      (await app.rows())
        .filter(({ channel }) => channel === "nowhere")
        .every(({ status, retry_count: n }) => status === "pending" && n === 1),
    );
    bucket.feel("well");
    await app.service.database.query(
      "UPDATE integration_queue SET next_attempt_at = clock_timestamp(), updated_at = clock_timestamp()",
    );
    await app.allDelivered(24);
    await eventually("all copies", () => bucket.objects.size === 24);
    expect(app.fast.received).toHaveLength(20);
  });

  it("does not hold up deliveries for as long as it is silent: one of many asks it again", async () => {
    bucket.feel("silent");
    await app.start({ archive: impatientArchive() });
    await add("fast", 1);
    await app.allDelivered(1);
    bucket.requests.length = 0;
    const begunAt = performance.now();
    await add("fast", 100);
    await app.allDelivered(101);
    // Besides, what is missing is tried at every poll, each second, one row of a store at a time.
    const polls = Math.ceil((performance.now() - begunAt) / 1_000);
    expect(bucket.requests.length).toBeLessThan(10 + 2 * polls);
    bucket.feel("well");
    bucket.objects.clear();
    await app.service.database.query(
      "UPDATE integration_queue SET updated_at = clock_timestamp() - interval '1 second'",
    );
    await eventually("all copies", () => bucket.objects.size === 101);
    expect(app.fast.received).toHaveLength(101);
  });

  it("counts a delivery that never ends as a failed attempt, and goes on", async () => {
    app.fast.answer(() => {});
    const worker = await app.start({ timeoutMs: 600_000, deliveryMs: 200 });
    await add("fast", 1);
    const [row] = await eventually("the failed attempt", async () => {
      const rows = await app.rows();
      return rows.every(({ status, retry_count: n }) => status === "pending" && n === 1) && rows;
    });
    expect(row).toMatchObject({
      last_error: "the delivery did not end within 0.2 s",
      locked_by: null,
      lease_lost: 0,
    });
    // Nothing is in flight that a stop would wait for.
    await worker.stop();
    expect(app.service.logged.findLast(({ event }) => event === "worker.stopped")).toMatchObject({
      abandoned: 0,
    });
  });
});

describe("the service", () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ env: { ARCHIVE_URL: bucket.url } });
    service.ctx.archive = impatientArchive();
    await service.addTenant(SHOP);
    bucket.objects.clear();
  });
  afterEach(() => service.stop());

  const request = async (id: number) =>
    (await service.database.query("SELECT * FROM privacy_requests WHERE id = $1", [id]))[0];
  const askForErasure = async () =>
    (await privacy(service, "customer-redact", redactBody({ id: ADA.id, email: ADA.email }))).json
      .request_id as number;
  const isPutOff = (id: number) =>
    eventually("the next pass", async () => {
      const row = await request(id);
      return row?.state === "received" && row.attempts === 1 && row;
    });
  const makeDue = () =>
    service.database.query("UPDATE privacy_requests SET next_attempt_at = clock_timestamp()");

  it("puts a privacy request off with the reason, and does it once the archive answers", async () => {
    const worker = await startPrivacyWorker(service.ctx, service.ctx.home);
    bucket.feel("silent");
    const id = await askForErasure();
    expect(await isPutOff(id)).toMatchObject({ last_error: "archive: timeout" });
    bucket.feel("well");
    await makeDue();
    expect(await settled(service, id)).toMatchObject({ state: "done" });
    await worker.stop();
  });

  it("gives up the pass of a privacy request that never ends, and the next one does it", async () => {
    const { archive } = service.ctx;
    service.ctx.archive = {
      ofStore: (shop) => ({ ...archive.ofStore(shop), list: () => new Promise(() => {}) }),
    };
    const impatient = await startPrivacyWorker(service.ctx, service.ctx.home, { passMs: 200 });
    const id = await askForErasure();
    expect(await isPutOff(id)).toMatchObject({ last_error: "error out_of_time" });
    await impatient.stop();
    service.ctx.archive = archive;
    const worker = await startPrivacyWorker(service.ctx, service.ctx.home);
    await makeDue();
    expect(await settled(service, id)).toMatchObject({ state: "done" });
    await worker.stop();
  });

  it("ends the scheduled run, whose report names the step, and begins the next one", async () => {
    bucket.feel("silent");
    const run = () => service.call("POST", "/admin/scheduled-run");
    const report = await run();
    expect(report.status).toBe(200);
    expect(report.json.report.errors).toContainEqual({
      shop: SHOP,
      step: "archive_retention",
      message: expect.stringContaining("the archive failed: no answer within"),
      system: "archive",
    });
    const lastRun = async () => (await readSetupState(service.ctx, "")).health.lastRun;
    expect(await lastRun()).toMatchObject({
      isArchiveFailing: true,
      problems: [
        { step: "archive_retention", stores: 1, message: expect.stringContaining("archive") },
      ],
    });
    bucket.feel("well");
    const next = await run();
    expect([next.status, next.json.report.errors]).toEqual([200, []]);
    expect(await lastRun()).toMatchObject({ isArchiveFailing: false, problems: [] });
  });

  it("does not hold up the scheduled run of many stores: one call in a while asks it", async () => {
    const stores = 60;
    await service.database.query(
      `WITH stores AS (SELECT 'many-' || n || '.myshopify.com' AS shop FROM generate_series(1, $1::int) AS n),
        heads AS (INSERT INTO consent_chain_heads (shop, seq, hash) SELECT shop, 1, 'hash' FROM stores)
       INSERT INTO kv (shop, key, value) SELECT shop, 'tenant:' || shop,
        jsonb_build_object('registered_at', now()::text, 'storefront_store_domain', shop) FROM stores`,
      [stores],
    );
    bucket.feel("silent");
    bucket.requests.length = 0;
    const { steps } = await runScheduledNow(service.ctx);
    // Eight stores are worked at once; each of the other sixty would wait twice.
    expect(bucket.requests.length).toBeLessThan(stores / 2);
    expect(steps.consent_checkpoint?.failed).toBe(stores);
    bucket.feel("well");
    expect(await runScheduledNow(service.ctx)).toMatchObject({ errors_total: 0 });
    expect([...bucket.objects.keys()].filter((key) => key.includes("many-"))).toHaveLength(stores);
  });

  it("keeps the link to an export that the archive did not hand over", async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    await service.ctx.archive.ofStore(SHOP).put(exportPath(SHOP, 7), "{}");
    const link = new URL(await createExportLink(service.ctx, tenant, 7));
    const download = () =>
      downloadByLink(service.ctx, tenant, link.searchParams.get("token") as string);
    bucket.feel("silent");
    await expect(download()).rejects.toMatchObject({ system: "archive", kind: "timeout" });
    bucket.feel("well");
    expect(await download()).toEqual({ requestId: 7, document: "{}" });
    await expect(download()).rejects.toMatchObject({ code: "invalid_link" });
  });

  it.each<[string, BucketMood]>([
    ["is silent", "silent"],
    ["answers 500", "down"],
    ["answers the page of a proxy", "page"],
  ])(
    "answers the check of the consent log with 503 while the archive %s, and calls no checkpoint missing",
    async (_, mood) => {
      bucket.feel(mood);
      const answer = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`);
      expect([answer.status, answer.json.code]).toEqual([503, "archive_unavailable"]);
    },
  );
});
