// A bulk change that is confirmed twice, and one whose segment somebody else changes before it is confirmed.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { previewTagRun } from "../../../app/domain/customers/bulk/preview-run.ts";
import { ActionRunInput, TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { startAction, startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import {
  ChangedSegment,
  changeSegment,
  createSegment,
  deleteSegment,
  NewSegment,
} from "../../../app/domain/customers/segments/edit-segments.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { beginRunStores, OTHER, SHOP } from "../../support/storefront/bulk-runs.ts";

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
  for (const shop of [SHOP, OTHER])
    for (const country of ["FR", "FR", "GB"])
      await putPerson(app.database, shop, { email: `${randomUUID()}@x.example`, country });
});

const runs = async () => (await app.database.query("SELECT 1 FROM tag_runs")).length;
const start = (fields: object, of = tenant) =>
  startAction(
    app.ctx,
    of,
    ActionRunInput.parse({
      kind: "data_request",
      selection: { filter: { country: "FR" } },
      ...fields,
    }),
  );

test("a change that is confirmed eight times at once, or again because its answer was lost, is made once", async () => {
  const request_id = randomUUID();
  const started = await Promise.all(Array.from({ length: 8 }, () => start({ request_id })));
  started.push(await start({ request_id }));
  expect(new Set(started.map(({ id }) => id)).size).toBe(1);
  expect(started.every(({ total }) => total === 2)).toBe(true);
  expect(await runs()).toBe(1);
});

test("another confirmation, another store's with the same id, and one after a refusal are changes of their own", async () => {
  const request_id = randomUUID();
  const erase = { kind: "erase", request_id };
  await expect(start({ ...erase, typed: "3" })).rejects.toMatchObject({ code: "conflict" });
  const first = await start({ ...erase, typed: "2" });
  const theirs = await start({ ...erase, typed: "2" }, await getTenant(app.ctx, OTHER));
  const second = await start({ request_id: randomUUID() });
  expect(new Set([first.id, theirs.id, second.id]).size).toBe(3);
  expect(await runs()).toBe(3);
});

test("a change of a segment that somebody else changed or deleted since it was shown is refused", async () => {
  const { id } = await createSegment(
    app.ctx,
    tenant,
    NewSegment.parse({ name: "France", filter: { country: "FR" } }),
  );
  const input = (version?: number) =>
    TagRunInput.parse({ selection: { segment: id, version }, add: ["vip"] });
  const tags = (version?: number) => startTagRun(app.ctx, tenant, input(version));
  expect(await previewTagRun(app.ctx, tenant, input(1))).toMatchObject({ changing: 2 });
  const everybody = { id, version: 1, filter: {}, sort: "updated desc" };
  await changeSegment(app.ctx, tenant, ChangedSegment.parse(everybody));
  await expect(tags(1)).rejects.toMatchObject({ code: "conflict" });
  await expect(previewTagRun(app.ctx, tenant, input(1))).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await runs()).toBe(0);
  // Without a version it means the segment as it is.
  expect([(await tags(2)).total, (await tags()).total]).toEqual([3, 3]);
  await deleteSegment(app.ctx, tenant, { id });
  await expect(tags(2)).rejects.toMatchObject({ code: "not_found" });
});
