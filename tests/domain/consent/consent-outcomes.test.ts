// Granted, declined or withdrawn: what a record says by the person's state before it, and the counts
// per day that are written with the log.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConsentCounts } from "../../../app/domain/consent/consent-counts.ts";
import { stateOf } from "../../../app/domain/consent/consent-outcomes.ts";
import { ConsentFilters, listConsentLog } from "../../../app/domain/consent/consent-log.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { applyMigrations } from "../../../app/runtime/database/migrations/apply-migrations.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";
import {
  signUp,
  startConsentService,
  syncAnonymous,
  syncAs,
  verify,
  type ConsentService,
} from "../../support/consent.ts";
import { SHOP } from "../../support/service.ts";

let service: ConsentService;
let tenant: Tenant;
beforeAll(async () => {
  service = await startConsentService();
  tenant = await getTenant(service.ctx, SHOP);
});
afterAll(() => service?.stop());

const list = async (filters: Record<string, string> = {}) =>
  (
    await listConsentLog(service.ctx, tenant, ConsentFilters.parse(filters), {
      limit: 100,
      before: null,
    })
  ).records;
const decisions = async (filters: Record<string, string>) =>
  (await list(filters)).map((record) => `${record.consent_type} ${record.decision}`).toReversed();

// Written apart from the service's own rule: each record beside the one before it of the same person.
const EXPECTED_DAYS = `
  SELECT shop, created_at::date::text AS day, consent_type, outcome, count(*)::int AS count FROM (
    SELECT *, CASE WHEN action = 'granted' THEN 'granted'
      WHEN lag(action) OVER (PARTITION BY shop, user_id, visitor_id, consent_type ORDER BY seq) = 'granted'
      THEN 'withdrawn' ELSE 'declined' END AS outcome
    FROM consent_records WHERE action IN ('granted', 'revoked')) AS r
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;
const STORED_DAYS = `
  SELECT shop, day::text, consent_type, outcome, count FROM consent_days ORDER BY 1, 2, 3, 4`;

async function expectCountsOfLog(database: Pick<TestDatabase, "query">): Promise<void> {
  const stored = await database.query(STORED_DAYS);
  expect(stored.length).toBeGreaterThan(0);
  expect(stored).toEqual(await database.query(EXPECTED_DAYS));
}

test("a first refusal is declined and a later one withdrawn, of a visitor and of an account", async () => {
  const choose = (value: boolean) => ({ consent_cookie: value, consent_marketing: value });
  for (const value of [false, true, false])
    await syncAnonymous(service, { visitor_id: "v-1", ...choose(value) });
  const ada = await signUp(service);
  for (const value of [false, true, false]) await syncAs(service, ada, choose(value));
  const expected = ["declined", "granted", "withdrawn"];
  expect(await decisions({ email: ada.email, type: "marketing" })).toEqual(
    expected.map((outcome) => `marketing ${outcome}`),
  );
  expect(
    (await list({ type: "cookie" }))
      .filter((record) => record.visitor_id === "v-1")
      .map(({ decision }) => decision)
      .toReversed(),
  ).toEqual(expected);
});

test("another consent's grant, and another person's, make no withdrawal", async () => {
  await syncAnonymous(service, { visitor_id: "v-2", consent_cookie: true });
  await syncAnonymous(service, { visitor_id: "v-3", consent_cookie: false });
  await syncAnonymous(service, { visitor_id: "v-2", consent_marketing: false });
  const last = (await list()).slice(0, 2);
  expect(last.map(({ visitor_id: id, decision }) => `${id} ${decision}`)).toEqual([
    "v-2 declined",
    "v-3 declined",
  ]);
});

test("the log is filtered by declined and by withdrawn, alone and with other filters", async () => {
  const ada = await signUp(service);
  for (const value of [false, true, false])
    await syncAs(service, ada, { consent_cookie: value, consent_marketing: value });
  const all = await list();
  for (const decision of ["declined", "withdrawn"]) {
    const wanted = all.filter((record) => record.decision === decision);
    expect(wanted.length).toBeGreaterThan(1);
    expect(await list({ decision })).toEqual(wanted);
    expect(await list({ decision, type: "cookie" })).toEqual(
      wanted.filter((record) => record.consent_type === "cookie"),
    );
    expect(await list({ decision, email: ada.email })).toEqual(
      wanted.filter((record) => record.email === ada.email),
    );
  }
});

test("the counts per day equal the log, also after concurrent writes, and the chain stays valid", async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => signUp(service)));
  const rounds = Array.from({ length: 8 }, (_, round) => round);
  await Promise.all(
    people.flatMap((person, at) =>
      rounds.map((round) =>
        round % 2 === 0
          ? syncAs(service, person, { consent_marketing: (round + at) % 4 === 0 })
          : syncAnonymous(service, {
              visitor_id: `crowd-${at % 3}`,
              consent_cookie: (round + at) % 3 === 0,
            }),
      ),
    ),
  );
  await expectCountsOfLog(service.database);
  expect((await verify(service)).ok).toBe(true);
});

test("the chart and the opt-in rates are those of the stored days", async () => {
  const shop = "charted-store.myshopify.com";
  await service.addTenant(shop);
  onTestFinished(
    async () =>
      void (await service.database.query("DELETE FROM consent_days WHERE shop = $1", [shop])),
  );
  await service.database.query(
    `INSERT INTO consent_days (shop, day, consent_type, outcome, count) VALUES
      ($1, current_date - 35, 'marketing', 'granted', 3), ($1, current_date - 35, 'marketing', 'declined', 1),
      ($1, current_date - 29, 'marketing', 'granted', 40), ($1, current_date - 30, 'marketing', 'withdrawn', 9),
      ($1, current_date - 60, 'marketing', 'declined', 1000), ($1, current_date, 'marketing', 'declined', 10),
      ($1, current_date, 'marketing', 'withdrawn', 2), ($1, current_date, 'cookie', 'granted', 5)`,
    [shop],
  );
  const { days, rates } = await readConsentCounts(
    service.ctx,
    await getTenant(service.ctx, shop),
    30,
  );
  expect(days).toHaveLength(30);
  expect(days[0]).toMatchObject({ granted: 40, declined: 0, withdrawn: 0 });
  expect(days.at(-1)).toMatchObject({ granted: 5, declined: 10, withdrawn: 2 });
  const [marketing, cookie] = rates;
  expect(marketing).toEqual({
    type: "marketing",
    granted: 40,
    declined: 10,
    withdrawn: 2,
    rate: 0.8,
    rateBefore: 0.75,
  });
  expect(cookie).toMatchObject({ type: "cookie", rate: 1, rateBefore: null });
});

test.each([
  [true, null, "granted"],
  [true, "withdrawn", "granted"],
  [false, "declined", "declined"],
  [false, "withdrawn", "withdrawn"],
  [false, "granted", "withdrawn"],
  [false, null, "not_asked"],
] as const)("a flag that is %s after a record that %s is shown as %s", (flag, last, state) => {
  expect(stateOf(flag, last)).toBe(state);
});

test("the migration counts the records that were there before it", async () => {
  const migrations = join(import.meta.dirname, "../../../prisma/migrations");
  const [folder, database] = await Promise.all([
    mkdtemp(join(tmpdir(), "consent-days-")),
    emptyDatabase(),
  ]);
  try {
    const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).toSorted();
    const at = names.findIndex((name) => name.endsWith("_consent_days"));
    const copy = (some: string[]) =>
      Promise.all(
        some.map((name) => cp(join(migrations, name), join(folder, name), { recursive: true })),
      );
    await copy(names.slice(0, at));
    await applyMigrations(database.url, { folder });
    const write = (from: number, to: number) =>
      database.query(
        `INSERT INTO consent_records (shop, user_id, visitor_id, consent_type, action, method, consent_id,
           created_at, seq, prev_hash, hash)
         SELECT 'shop-' || n % 2 || '.myshopify.com', CASE WHEN n % 3 = 0 THEN n % 5 END,
           CASE WHEN n % 3 <> 0 THEN 'v' || n % 7 END, CASE WHEN n % 11 = 0 THEN 'ap2' ELSE 'cookie' END,
           CASE n % 4 WHEN 0 THEN 'granted' WHEN 1 THEN 'granted' WHEN 2 THEN 'mandate_used' ELSE 'revoked' END,
           'banner', 'c' || n, now() - make_interval(hours => 2000 - n), n, '', ''
         FROM generate_series($1::int, $2::int) AS n`,
        [from, to],
      );
    await write(1, 500);
    await copy([names[at] as string]);
    await applyMigrations(database.url, { folder });
    await expectCountsOfLog(database);
    await write(501, 600);
    await expectCountsOfLog(database);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
