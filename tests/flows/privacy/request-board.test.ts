// The merchant's list of privacy requests: its order, what needs the merchant, and its actions.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  markHandedOver,
  retryRequest,
} from "../../../app/domain/compliance/board/request-actions.ts";
import {
  findBoardRequest,
  LIST,
  listBoard,
  RequestFilters,
} from "../../../app/domain/compliance/board/request-list.ts";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { PLATFORM } from "../../../app/db.server.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  tenant = await getTenant(service.ctx, SHOP);
});
afterAll(() => service.stop());
beforeEach(() => service.database.query("DELETE FROM privacy_requests"));

type Row = {
  state: string;
  /** Days from now. */
  due?: number;
  kind?: "data_request" | "customer_redact";
  problem?: string;
  steps?: Record<string, { outcome: string; at: string; count: number }>;
};

async function addRequest({ state, due = 30, kind = "customer_redact", problem, steps = {} }: Row) {
  const [row] = await service.database.query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, attempts, last_error,
      payload, evidence, locked_until, steps)
     VALUES ($1, $2, gen_random_uuid(), $3, now() + make_interval(days => $4), 1, $5, $6,
      '{"archive": "gdpr/x"}', now() + interval '1 hour', $7) RETURNING id`,
    [
      SHOP,
      kind,
      state,
      due,
      problem ?? null,
      JSON.stringify({ sealed: service.ctx.secrets.seal(`${SHOP}/privacy`, "{}") }),
      JSON.stringify(steps),
    ],
  );
  return row!.id;
}

type Plan = {
  "Node Type": string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
/** Where a plan reads a table. */
const readsOf = (plan: Plan): Plan[] =>
  plan.Plans ? plan.Plans.flatMap(readsOf) : /Scan/.test(plan["Node Type"]) ? [plan] : [];

const list = async (filters: object = {}, limit = 100, before: number | null = null) =>
  listBoard(service.ctx, tenant, RequestFilters.parse(filters), { limit, before });

test("a request that is worked on offers no retry, and a retry from an older page says that it is worked on", async () => {
  const id = await addRequest({ state: "running" });
  expect(await findBoardRequest(service.ctx, tenant, id)).toMatchObject({ can_retry: false });
  await expect(retryRequest(service.ctx, tenant, id)).rejects.toMatchObject({
    code: "conflict",
    fields: { state: "running" },
  });
});

test("a retry or a hand-over from an older page says that the request is done already", async () => {
  const id = await addRequest({ state: "done", kind: "data_request" });
  for (const action of [retryRequest, markHandedOver])
    await expect(action(service.ctx, tenant, id)).rejects.toMatchObject({
      code: "conflict",
      fields: { state: "done" },
    });
});

test("only a failed export that has its file can be marked as handed over; another request stays failed", async () => {
  const withFile = await addRequest({ state: "failed", kind: "data_request" });
  await markHandedOver(service.ctx, tenant, withFile);
  expect(await findBoardRequest(service.ctx, tenant, withFile)).toMatchObject({ state: "done" });

  const erasure = await addRequest({ state: "failed", kind: "customer_redact" });
  const withoutFile = await addRequest({ state: "failed", kind: "data_request" });
  await service.database.query("UPDATE privacy_requests SET evidence = '{}' WHERE id = $1", [
    withoutFile,
  ]);
  for (const id of [erasure, withoutFile]) {
    await expect(markHandedOver(service.ctx, tenant, id)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await findBoardRequest(service.ctx, tenant, id)).toMatchObject({ state: "failed" });
  }
});

test("a step that the merchant has to finish is left to the merchant, with the way to the store's customers", async () => {
  const step = (outcome: string) => ({ outcome, at: "2026-01-01T00:00:00.000Z", count: 0 });
  const steps = {
    tables: step("erased"),
    storefront: step("stays_in_store"),
    cms: step("no_access"),
  };
  const id = await addRequest({ state: "done", steps });
  const request = await findBoardRequest(service.ctx, tenant, id);
  expect(request?.state).toBe("done");
  expect(request?.store_customers_url).toContain("/admin/customers");
  expect(request?.steps.map(({ name, state }) => [name, state])).toEqual([
    ["tables", "done"],
    ["storefront", "left"],
    ["cms", "left"],
  ]);
});

test("unfinished requests stand first, by their due date, then the finished ones, newest first, on every page", async () => {
  const early = await addRequest({ state: "done" });
  const late = await addRequest({ state: "received", due: 20 });
  const overdue = await addRequest({ state: "failed", due: -2 });
  const finished = await addRequest({ state: "retained" });
  const soon = await addRequest({ state: "running", due: 3 });
  const expected = [overdue, soon, late, finished, early];
  expect((await list()).requests.map(({ id }) => id)).toEqual(expected);

  const paged: number[] = [];
  let before: number | null = null;
  do {
    const { requests, next } = await list({}, 2, before);
    paged.push(...requests.map(({ id }) => id));
    before = next;
  } while (before !== null);
  expect(paged).toEqual(expected);
});

test("a page of many requests is read in their order, and the others are not", async () => {
  await service.database.query(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by)
      SELECT $1, 'customer_redact', 'many-' || n, CASE WHEN n % 3 = 0 THEN 'received' ELSE 'done' END,
        now() + n * interval '1 minute' FROM generate_series(1, 9000) AS n`,
    [SHOP],
  );
  await service.database.query("ANALYZE privacy_requests");
  const first = await list({}, 25);
  for (const before of [null, first.next]) {
    const [row] = await service.database.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${LIST}`,
      [SHOP, PLATFORM, "mark", before, null, null, null, null, [], 26],
    );
    const reads = readsOf(row!["QUERY PLAN"][0].Plan);
    expect(reads.map((read) => read["Index Name"])).toContain("privacy_requests_position_idx");
    expect(Math.max(...reads.map((read) => read["Actual Rows"]))).toBeLessThanOrEqual(26);
    expect(reads.map((read) => read["Rows Removed by Filter"] ?? 0)).toEqual(reads.map(() => 0));
  }
});

test("needs the merchant: failed, overdue, or due within a week with a problem; Home counts what the list shows", async () => {
  const failed = await addRequest({ state: "failed", problem: "no_recipient" });
  const overdue = await addRequest({ state: "received", due: -1 });
  const withProblem = await addRequest({ state: "received", due: 6, problem: "cms: status 503" });
  await addRequest({ state: "received", due: 9, problem: "cms: status 503" });
  await addRequest({ state: "received", due: 3 });
  await addRequest({ state: "done", due: -5, problem: "cms: status 503" });
  const { requests } = await list({ state: "failed" });
  expect(requests.map(({ id }) => id)).toEqual([overdue, withProblem, failed]);
  const { health } = await readHome(service.ctx, SHOP, tenant);
  expect(health.urgentRequests).toBe(3);
});

test.each([
  ["cms: status 503", "unwell", 503],
  ["storefront: status 402", "rejected", 402],
  ["erp: timeout", "slow", null],
  ["cms: network", "unreachable", null],
  ["storefront: graphql 429", "too_many", 429],
  ["storefront: graphql 422", "rejected", 422],
  ["storefront: graphql 502", "unwell", 502],
  ["storefront: malformed 429", "too_many", 429],
  ["storefront: malformed 422", "rejected", 422],
  ["storefront: malformed 502", "unreadable", null],
  ["cms: malformed", "unreadable", null],
])("a request that a system failed says how: %s", async (problem, kind, status) => {
  const id = await addRequest({ state: "failed", problem });
  expect((await findBoardRequest(service.ctx, tenant, id))?.problem).toEqual({
    kind: "system",
    system: problem.split(":")[0],
    failure: { kind, about: null, http_status: status },
  });
});
