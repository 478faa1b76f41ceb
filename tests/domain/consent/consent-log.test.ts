// The merchant's consent log on a real database: order, filters, pages, the export, and the query
// plans.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ConsentFilters,
  exportConsentLog,
  listConsentLog,
} from "../../../app/domain/consent/consent-log.ts";
import { findDecision, findReceipt } from "../../../app/domain/consent/consent-history.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
const ROWS = 60_000;

beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  tenant = await getTenant(service.ctx, SHOP);
  for (const [shop, rows] of [
    [SHOP, ROWS],
    [OTHER_SHOP, 3 * ROWS],
  ] as const) {
    await service.database.query(
      `INSERT INTO storefront_users (shop, id, email, provider)
        SELECT $1, n, 'p' || n || '@x.example', 'email' FROM generate_series(1, 300) AS n`,
      [shop],
    );
    // A row a minute, the newest last; every 20,000th is about payments by agents, every 7th a
    // revocation, every 3rd of a browser.
    await service.database.query(
      `INSERT INTO consent_records (shop, user_id, visitor_id, consent_type, action, method,
        consent_id, created_at, seq, prev_hash, hash)
       SELECT $1, CASE WHEN n % 3 <> 0 THEN n % 300 + 1 END, CASE WHEN n % 3 = 0
         THEN 'v' || n END, CASE WHEN n % 20000 = 0 THEN 'ap2' ELSE 'cookie' END, CASE
         WHEN n % 7 = 0 THEN 'revoked' ELSE 'granted' END,
         CASE WHEN n % 2 = 0 THEN 'banner'
           ELSE '=cmd()' END, 'c' || n / 2, date_trunc('day',
           now()) + interval '12 hours' - make_interval(mins => $2::int - n), n, '', 'h' || n
           FROM generate_series(1, $2::int) AS n`,
      [shop, rows],
    );
  }
  await service.database.query("VACUUM ANALYZE consent_records");
}, 60_000);
afterAll(() => service?.stop());

const list = (filters: Record<string, string> = {}, before: number | null = null, limit = 3) =>
  listConsentLog(service.ctx, tenant, ConsentFilters.parse(filters), { limit, before });
const seqs = (page: { records: { seq: number }[] }) => page.records.map(({ seq }) => seq);

test("lists newest first, page by page, to the end, without another store's rows", async () => {
  const first = await list();
  expect(seqs(first)).toEqual([ROWS, ROWS - 1, ROWS - 2]);
  expect(seqs(await list({}, first.next))).toEqual([ROWS - 3, ROWS - 4, ROWS - 5]);
  expect(await list({}, 4)).toMatchObject({
    records: [
      { seq: 3, email: null, visitor_id: "v3" },
      { seq: 2, email: "p3@x.example" },
      { seq: 1 },
    ],
    next: null,
  });
});

test("each filter narrows the list, all of them combined too, and an invalid one is ignored", async () => {
  expect(seqs(await list({ type: "ap2" }))).toEqual([60_000, 40_000, 20_000]);
  expect(seqs(await list({ type: "ap2", decision: "withdrawn" }))).toEqual([]);
  expect(seqs(await list({ decision: "withdrawn", method: "banner" }))).toEqual([
    59_990, 59_962, 59_948,
  ]);
  // Every browser here refused once and never came back.
  expect(seqs(await list({ decision: "declined", method: "banner" }))).toEqual([
    59_976, 59_934, 59_892,
  ]);
  const hers = await list({ email: "P3@X.example " });
  expect(hers.records.map(({ email }) => email)).toEqual([
    "p3@x.example",
    "p3@x.example",
    "p3@x.example",
  ]);
  expect(seqs(hers)[0]).toBe(59_702);
  expect(seqs(await list({ email: "nobody@x.example" }))).toEqual([]);
  // The database takes no NUL.
  expect(seqs(await list({ type: "ap2\u0000" }))).toEqual([60_000, 40_000, 20_000]);
  expect(seqs(await list({ decision: "sideways", from: "yesterday" }))).toEqual(seqs(await list()));
  const [{ day } = { day: "" }] = await service.database.query<{ day: string }>(
    "SELECT to_char(created_at, 'YYYY-MM-DD') AS day FROM consent_records WHERE shop = $1 AND seq = 30000",
    [SHOP],
  );
  const page = await list({ from: day, until: day }, null, 5_000);
  expect(page.records).toHaveLength(1_440);
  expect(new Set(page.records.map(({ created_at: at }) => at.slice(0, 10)))).toEqual(
    new Set([day]),
  );
});

test("the export contains every filtered row once, and no formula", async () => {
  const lines: string[] = [];
  let parts = 0;
  for await (const part of exportConsentLog(
    service.ctx,
    tenant,
    ConsentFilters.parse({ decision: "granted" }),
  )) {
    parts += 1;
    lines.push(...part.split("\r\n").filter(Boolean));
  }
  expect(parts).toBeGreaterThan(5);
  const [head, ...rows] = lines;
  expect(head).toMatch(/^id,user_id,email,/);
  expect(rows).toHaveLength(ROWS - Math.floor(ROWS / 7));
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.some((row) => row.includes(",=cmd()"))).toBe(false);
  expect(rows.some((row) => row.includes(",'=cmd(),"))).toBe(true);
});

test("a proof contains the decision of that one subject, although others used the same consent_id", async () => {
  const decision = await findDecision(service.ctx, tenant, 3);
  expect(decision).toEqual({ consentId: "c1", userId: null, visitorId: "v3" });
  const visitors = { consentId: "c1", userId: null };
  const receipt = await findReceipt(service.ctx, tenant, { ...visitors, visitorId: "v3" });
  expect(receipt?.services.map(({ chain }) => chain.seq)).toEqual([3]);
  expect(await findReceipt(service.ctx, tenant, { ...visitors, visitorId: "v4" })).toBeNull();
  expect(await findDecision(service.ctx, tenant, ROWS + 1)).toBeNull();
});

test("a rare type among many rows is read from the log's index, not from the rows", async () => {
  const plans = async (sql: string, values: unknown[]) =>
    (
      await service.database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`,
        values,
      )
    )
      .map((row) => row["QUERY PLAN"])
      .join("\n");
  const rare = await plans(
    `SELECT seq FROM consent_records WHERE shop = $1 AND consent_type = 'ap2'
      ORDER BY created_at DESC, seq DESC LIMIT 26`,
    [SHOP],
  );
  expect(rare).toMatch(/Index Only Scan using consent_records_log_idx/);
  expect(rare).not.toMatch(/Sort/);
});
