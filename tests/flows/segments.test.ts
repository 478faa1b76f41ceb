// Segments: saved filters of a store's customers, with their counts, their members and what is done to
// them, with the worker and the profile platform behind.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { previewAction } from "../../app/domain/customers/bulk/preview-run.ts";
import { ActionRunInput, TagRunInput } from "../../app/domain/customers/bulk/run-inputs.ts";
import type { BulkRunState } from "../../app/domain/customers/bulk/run-row.ts";
import { startAction, startTagRun } from "../../app/domain/customers/bulk/start-run.ts";
import { readSelection } from "../../app/domain/customers/bulk/selection.ts";
import { exportCustomers } from "../../app/domain/customers/list/export-customers.ts";
import { readCustomerList } from "../../app/domain/customers/list/list-screen.ts";
import { countSegments } from "../../app/domain/customers/segments/count-segments.ts";
import {
  ChangedSegment,
  changeSegment,
  createSegment,
  deleteSegment,
  NewSegment,
  RenamedSegment,
  renameSegment,
} from "../../app/domain/customers/segments/edit-segments.ts";
import { readSegmentScreen } from "../../app/domain/customers/segments/list-segments.ts";
import { enqueueAudience } from "../../app/domain/customers/segments/profile-audience.ts";
import { MAX_SEGMENTS } from "../../app/domain/customers/segments/segment.ts";
import { getTenant, type Tenant } from "../../app/domain/tenants/tenant.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { endOfRun } from "../support/storefront/bulk-runs.ts";
import { putPerson, tagsOf, type Person } from "../support/storefront/customers.ts";

let service: Service;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP, { profile_platform_enabled: false });
  [tenant, other] = [await getTenant(service.ctx, SHOP), await getTenant(service.ctx, OTHER_SHOP)];
});

const put = (person: Person, shop = SHOP) => putPerson(service.database, shop, person);
const create = async (name: string, filter: object, of = tenant) =>
  (await createSegment(service.ctx, of, NewSegment.parse({ name, filter, sort: "name asc" }))).id;
const screen = (of = tenant) => readSegmentScreen(service.ctx, of);
const only = async (of = tenant) => {
  const [segment, ...others] = (await screen(of)).segments;
  expect(others).toEqual([]);
  if (!segment) throw new Error("there is no segment");
  return segment;
};
const stored = () => service.database.query("SELECT * FROM segments ORDER BY shop, id");
const finished = ({ id }: BulkRunState) => endOfRun(service, tenant, id);
const startTags = (selection: object, of = tenant) =>
  startTagRun(service.ctx, of, TagRunInput.parse({ selection, add: ["gala"] }));
const profiles = (segment: string) =>
  ActionRunInput.parse({ kind: "profile", selection: { segment } });

describe("a segment", () => {
  it("has the count that SQL has, and the list's customers", async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const vip = { tags: ["vip", "gala"], consents: ["marketing"], created_at: daysAgo(400) };
    const ada = await put({ ...vip, full_name: "Ada", last_login_at: daysAgo(5) });
    const old = await put({ ...vip, full_name: "Old", last_login_at: daysAgo(200) });
    const bob = await put({ full_name: "Bob", tags: ["vip"], last_login_at: daysAgo(5) });
    await put({ ...vip, full_name: "Gone", status: "deleted" });
    await put({ ...vip, full_name: "Theirs" }, OTHER_SHOP);
    await service.database.query(
      `INSERT INTO consent_records (shop, user_id, consent_type, action, method, consent_id, seq, prev_hash, hash)
        VALUES ($1, $2, 'marketing', 'revoked', 'banner', 'c', 1, '', '')`,
      [SHOP, bob],
    );
    const filters: [object, number[]][] = [
      [{ tag: ["vip", "gala"], consent: "marketing" }, [ada, old]],
      [{ tag_any: "gala" }, [ada, old]],
      [{ tag: "vip", tag_none: ["gala"] }, [bob]],
      [{ consent: ["marketing", "-a2a"], active: "-90" }, [old]],
      [{ active: "30" }, [ada, bob]],
      [{ consent: "revoked-marketing" }, [bob]],
      [{}, [ada, old, bob]],
    ];
    for (const [place, [filter, members]] of filters.entries()) {
      await create(`Segment ${place}`, filter);
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]) => [name, String(value)]),
      );
      const list = await readCustomerList(service.ctx, tenant, query);
      expect(new Set(list.page.customers.map((customer) => customer.id))).toEqual(new Set(members));
    }
    expect((await screen()).segments.map(({ counted }) => counted)).toEqual(
      filters.map(() => null),
    );
    expect(await countSegments(service.ctx, tenant)).toEqual({ isComplete: true });
    const { segments } = await screen();
    expect(segments.map(({ counted }) => counted?.customers)).toEqual(
      filters.map(([, members]) => members.length),
    );
    expect(segments.every(({ isStale }) => !isStale)).toBe(true);
  });

  it("is renamed and changed by who saw its newest version; the later of two gets a conflict and changes nothing", async () => {
    const id = await create("Élite", { country: "FR" });
    await countSegments(service.ctx, tenant);
    const rename = (version: number, name: string) =>
      renameSegment(service.ctx, tenant, RenamedSegment.parse({ id, version, name }));
    await rename(1, "Paris");
    await expect(rename(1, "Lyon")).rejects.toMatchObject({
      code: "conflict",
      fields: { version: expect.any(String) },
    });
    const change = (version: number) =>
      changeSegment(
        service.ctx,
        tenant,
        ChangedSegment.parse({ id, version, filter: { country: "BE" }, sort: "updated desc" }),
      );
    await change(2);
    await expect(change(2)).rejects.toMatchObject({ code: "conflict" });
    expect(await only()).toMatchObject({
      name: "Paris",
      filter: { country: "BE" },
      version: 3,
      counted: null,
      isStale: true,
    });
    await create("Lyon", {});
    await expect(rename(3, "LYON")).rejects.toMatchObject({ fields: { name: expect.any(String) } });
  });

  it("whose filter is changed during its count is counted again", async () => {
    await put({ country: "FR" });
    const id = await create("Paris", { country: "FR" });
    const store = new pg.Client({ connectionString: service.database.url });
    await store.connect();
    await store.query("BEGIN; LOCK TABLE storefront_users IN ACCESS EXCLUSIVE MODE");
    const counting = countSegments(service.ctx, tenant);
    await eventually(
      "the count to wait",
      async () =>
        (
          await service.database.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
              AND wait_event_type = 'Lock' AND query LIKE '%AS customers%'`,
          )
        ).length === 1,
    );
    await changeSegment(
      service.ctx,
      tenant,
      ChangedSegment.parse({ id, version: 1, filter: { country: "BE" }, sort: "name asc" }),
    );
    await store.query("COMMIT");
    await store.end();
    await counting;
    await countSegments(service.ctx, tenant);
    expect((await only()).counted?.customers).toBe(0);
  });

  it("has a name of its own in the store, and there are at most 100", async () => {
    await create("Élite", {});
    await expect(create("éLITE", {})).rejects.toMatchObject({
      code: "conflict",
      fields: { name: expect.any(String) },
    });
    expect((await create("Élite", {}, other)).length).toBe(36);
    await service.database.query(
      `INSERT INTO segments (shop, id, name, filter) SELECT $1, gen_random_uuid(), 'S' || n, '{}'
        FROM generate_series(2, $2::int) AS n`,
      [SHOP, MAX_SEGMENTS],
    );
    await expect(create("One more", {})).rejects.toMatchObject({ code: "conflict" });
    expect(await stored()).toHaveLength(MAX_SEGMENTS + 1);
  });

  it.each([
    { filter: { tag: ["vip", "nothing"] } },
    { filter: { country: "F\u0000R" } },
    { filter: { active: "31" } },
    { filter: { consent: ["marketing", "'; DROP TABLE segments; --"] } },
    { filter: { q: "ada@example.com" } },
    { filter: { shop: "other" } },
    { filter: { tag: Array.from({ length: 21 }, (_, n) => `t${n}`) } },
    { filter: { orders_min: { $gt: 0 } } },
    { filter: [] },
    { filter: {}, name: " " },
    { filter: {}, name: "a\u0000b" },
    { filter: {}, name: "x".repeat(41) },
  ])("is not created from what is not understood: %j", async ({ filter, name = "Mine" }) => {
    await put({ tags: ["vip"] });
    await expect(create(name, filter)).rejects.toBeDefined();
    expect(await stored()).toEqual([]);
  });

  it("with a filter that this version does not understand is not shown, counted or used, and the others are", async () => {
    await put({ full_name: "Ada" });
    await create("Good", {});
    await service.database.query(
      `INSERT INTO segments (shop, id, name, filter) VALUES ($1, gen_random_uuid(), 'Newer', '{"mood":"good"}')`,
      [SHOP],
    );
    expect(await countSegments(service.ctx, tenant)).toEqual({ isComplete: true });
    expect(await only()).toMatchObject({ name: "Good", counted: { customers: 1 } });
    const newer = (await stored()).find(({ name }) => name === "Newer");
    await expect(startTags({ segment: newer?.id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("of another store is neither read, changed, deleted, counted, exported nor used", async () => {
    await put({ full_name: "Ada", consents: ["marketing"], email: "a@x.example" });
    const id = await create("Theirs", {}, other);
    const before = await stored();
    const asked = { id, version: 1 };
    for (const work of [
      () => renameSegment(service.ctx, tenant, { ...asked, name: "Mine" }),
      () => changeSegment(service.ctx, tenant, { ...asked, filter: {} as never, sort: "name asc" }),
      () => startTags({ segment: id }),
      () => startAction(service.ctx, tenant, profiles(id)),
    ])
      await expect(work()).rejects.toMatchObject({ code: "not_found" });
    await deleteSegment(service.ctx, tenant, { id });
    await countSegments(service.ctx, tenant);
    expect((await screen()).segments).toEqual([]);
    const selection = readSelection(new URLSearchParams({ segment: id }));
    const text = async () => {
      let all = "";
      for await (const part of exportCustomers(service.ctx, tenant, selection as never))
        all += part;
      return all;
    };
    await expect(text()).rejects.toMatchObject({ code: "not_found" });
    expect(readSelection(new URLSearchParams({ segment: "' OR 1=1" }))).toBeNull();
    expect(await stored()).toEqual(before);
    expect(await service.database.query("SELECT 1 FROM tag_runs")).toEqual([]);
  });
});

describe("a run over a segment", () => {
  it("tags exactly its customers, also when the segment is changed and deleted meanwhile, and is its last run", async () => {
    const french = await put({ country: "FR" });
    const british = await put({ country: "GB" });
    const id = await create("France", { country: "FR" });
    const run = await startTags({ segment: id });
    await changeSegment(
      service.ctx,
      tenant,
      ChangedSegment.parse({ id, version: 1, filter: { country: "GB" }, sort: "name asc" }),
    );
    expect((await only()).lastRun).toMatchObject({ id: run.id, kind: "tags", total: 1 });
    await deleteSegment(service.ctx, tenant, { id });
    expect(await finished(run)).toMatchObject({ state: "done", processed: 1, changed: 1 });
    expect(await tagsOf(service.database, SHOP, french)).toEqual(["gala"]);
    expect(await tagsOf(service.database, SHOP, british)).toEqual([]);
  });

  it("has the segments counted again when it has ended: it may have moved customers in or out", async () => {
    await put({ tags: ["gala"] });
    await put({ country: "FR" });
    const id = await create("Gala", { tag: ["gala"] });
    await countSegments(service.ctx, tenant);
    expect((await only()).counted?.customers).toBe(1);
    await finished(await startTags({ filter: { country: "FR" } }));
    await countSegments(service.ctx, tenant);
    expect(await only()).toMatchObject({ id, counted: { customers: 2 } });
  });

  it("sends to the profile platform only who accepts marketing, with the segment's name and the hashed address, once each", async () => {
    const email = "Ada@X.example";
    const ada = await put({ email, country: "FR", consents: ["marketing"] });
    const withdrawn = await put({ email: "no@x.example", country: "FR" });
    await put({ country: "FR", consents: ["marketing"] });
    await put({ email: "gb@x.example", country: "GB", consents: ["marketing"] });
    const id = await create("Big in France", { country: "FR" });
    expect(await previewAction(service.ctx, tenant, profiles(id))).toEqual({
      total: 3,
      changing: 1,
    });
    const before = service.sandbox.profilePlatform.messages().length;
    const run = await startAction(service.ctx, tenant, profiles(id));
    expect(await finished(run)).toMatchObject({ kind: "profile", state: "done", changed: 1 });
    // The same slice again, as after a kill, with a customer who has withdrawn the consent since.
    const { sql } = service.ctx.home.forTenant(SHOP);
    const segment = { id, name: "Big in France" };
    await enqueueAudience(service.ctx, sql, run.id, segment, [ada, withdrawn]);
    await eventually("both are processed", async () => {
      const rows = await service.database.query<{ status: string }>(
        "SELECT status FROM integration_queue WHERE event_type = 'customer.segment_sent'",
      );
      expect(rows).toHaveLength(2);
      return rows.every(({ status }) => status === "delivered");
    });
    const sent = service.sandbox.profilePlatform.messages().slice(before);
    expect(sent.map(({ entity }) => entity)).toEqual([
      expect.objectContaining({
        identityMap: {
          Email_LC_SHA256: [expect.objectContaining({ id: hash("sha256", email.toLowerCase()) })],
        },
        segmentMembership: {
          customer_identity: {
            big_in_france: { lastQualificationTime: expect.any(String), status: "realized" },
          },
        },
      }),
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/x\.example/i);
  });

  it("of a store without a profile platform, or without a segment, is rejected and enqueues nothing", async () => {
    await put({ email: "a@x.example", consents: ["marketing"] }, OTHER_SHOP);
    const id = await create("All", {}, other);
    await expect(startAction(service.ctx, other, profiles(id))).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(ActionRunInput.safeParse({ kind: "profile", selection: { filter: {} } }).success).toBe(
      false,
    );
    expect(await service.database.query("SELECT 1 FROM tag_runs")).toEqual([]);
  });
});

it("saved views of an earlier version are segments after the migration, with their filters and order", async () => {
  const view = { name: "Old view", filter: { tag: "vip", consent: "-tos" }, sort: "name asc" };
  await service.database.query(
    "INSERT INTO kv (shop, key, value) VALUES ($1, 'customer_views', $2::jsonb)",
    [SHOP, JSON.stringify([view, { ...view, name: "OLD VIEW" }])],
  );
  const file = "prisma/migrations/20261123112000_segments/migration.sql";
  const [, move = ""] = readFileSync(file, "utf8").split("-- Saved views become segments.");
  for (const statement of move.split(";").filter((text) => text.trim()))
    await service.database.query(statement);
  expect(await only()).toMatchObject({
    name: "Old view",
    filter: { tag: ["vip"], consent: ["-tos"] },
    sort: "name asc",
  });
});
