// The consent log as sign-ups and deletions write it: append-only and chained.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  CHAIN_START,
  chainHash,
  recordConsent,
  type ConsentEntry,
} from "../../../app/domain/consent/record-consent.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const SHOP = "first-shop.myshopify.com";
const OTHER = "other-shop.myshopify.com";
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(() => app.database.truncate());

const entry = (fields: Partial<ConsentEntry> = {}): ConsentEntry => ({
  userId: 1,
  consentType: "tos",
  action: "granted",
  method: "signup",
  consentId: randomUUID(),
  timestamp: "2026-11-20T12:00:00.000Z",
  ...fields,
});
const append = (shop: string, entries: ConsentEntry[]) =>
  app.ctx.home
    .forTenant(shop)
    .transaction((sql) => recordConsent(sql, { connection: {} }, entries));
const rowsOf = (shop: string) =>
  app.database.query("SELECT * FROM consent_records WHERE shop = $1 ORDER BY seq", [shop]);

const toEntry = (row: any): ConsentEntry => ({
  userId: row.user_id,
  visitorId: row.visitor_id,
  consentType: row.consent_type,
  action: row.action,
  method: row.method,
  consentVersion: row.consent_version,
  consentId: row.consent_id,
  timestamp: row.timestamp,
  formType: row.form_type,
  sourcePage: row.source_page,
  gpc: row.gpc,
});

/**
 * Recomputes every row's hash from the stored values, each on the previous one, up to the head. Ids rise with
 * the rows: a person's history is in their order.
 */
async function expectWholeChain(shop: string, length: number): Promise<void> {
  let previous = CHAIN_START;
  const rows = await rowsOf(shop);
  const ids = rows.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(rows.map(({ seq }) => Number(seq))).toEqual(
    Array.from({ length }, (_, index) => index + 1),
  );
  for (const row of rows) {
    expect(row.prev_hash).toBe(previous);
    expect(row.hash).toBe(chainHash(previous, Number(row.seq), toEntry(row), row.created_at));
    previous = row.hash;
  }
  const [head] = await app.database.query(
    "SELECT seq, hash FROM consent_chain_heads WHERE shop = $1",
    [shop],
  );
  expect([Number(head.seq), head.hash]).toEqual([length, previous]);
}

it("rows appended by 40 concurrent transactions make one chain without a gap, with rising ids", async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      append(SHOP, [entry({ userId: index }), entry({ userId: index, consentType: "privacy" })]),
    ),
  );
  await expectWholeChain(SHOP, 80);
});

it("each store has its own chain", async () => {
  await Promise.all([
    append(SHOP, [entry()]),
    append(OTHER, [entry(), entry()]),
    append(SHOP, [entry()]),
  ]);
  await expectWholeChain(SHOP, 2);
  await expectWholeChain(OTHER, 2);
});

it("a failed transaction leaves neither row nor gap", async () => {
  await append(SHOP, [entry()]);
  const failing = app.ctx.home.forTenant(SHOP).transaction(async (sql) => {
    await recordConsent(sql, { connection: {} }, [entry(), entry()]);
    throw new Error("something else failed");
  });
  await expect(failing).rejects.toThrow("something else failed");
  await append(SHOP, [entry()]);
  await expectWholeChain(SHOP, 2);
});

it("an empty batch adds no row", async () => {
  await append(SHOP, []);
  expect(await rowsOf(SHOP)).toEqual([]);
});

it("rows of one decision have one server time and the client's own", async () => {
  await append(SHOP, [
    entry({ timestamp: "2001-01-01T00:00:00Z" }),
    entry({ timestamp: "2001-01-01T00:00:00Z", consentType: "privacy" }),
  ]);
  const rows = await rowsOf(SHOP);
  expect(rows[0].created_at).toEqual(rows[1].created_at);
  expect(Date.now() - rows[0].created_at.getTime()).toBeLessThan(60_000);
  expect(rows[0].timestamp).toBe("2001-01-01T00:00:00Z");
});

it.each([
  ["UPDATE consent_records SET action = 'revoked'"],
  ["UPDATE consent_records SET user_agent = NULL WHERE seq = 1"],
  ["DELETE FROM consent_records WHERE seq = 1"],
  ["DELETE FROM consent_records WHERE false"],
  ["TRUNCATE consent_records"],
])("the database rejects: %s", async (statement) => {
  await append(SHOP, [entry()]);
  await expect(app.database.query(statement)).rejects.toThrow(/append-only/);
  await expectWholeChain(SHOP, 1);
});

it("a change to any part of the evidence, or to the row's position, changes the hash", () => {
  const createdAt = new Date("2026-11-20T12:00:00Z");
  const whole: ConsentEntry = {
    userId: 1,
    visitorId: "v",
    consentType: "tos",
    action: "granted",
    method: "signup",
    consentVersion: "1",
    consentId: "c",
    timestamp: "t",
    formType: "f",
    sourcePage: "p",
    gpc: false,
  };
  const original = chainHash(CHAIN_START, 1, whole, createdAt);
  const changed: ConsentEntry[] = [
    { ...whole, userId: 2 },
    { ...whole, userId: null },
    { ...whole, visitorId: "w" },
    { ...whole, consentType: "privacy" },
    { ...whole, action: "revoked" },
    { ...whole, method: "banner" },
    { ...whole, consentVersion: "2" },
    { ...whole, consentId: "d" },
    { ...whole, timestamp: "u" },
    { ...whole, formType: "g" },
    { ...whole, sourcePage: "q" },
    { ...whole, gpc: true },
  ];
  const hashes = changed.map((other) => chainHash(CHAIN_START, 1, other, createdAt));
  hashes.push(
    chainHash(CHAIN_START, 2, whole, createdAt),
    chainHash("1".repeat(64), 1, whole, createdAt),
    chainHash(CHAIN_START, 1, whole, new Date("2026-11-20T12:00:00.001Z")),
  );
  expect(new Set([original, ...hashes]).size).toBe(hashes.length + 1);
  expect(chainHash(CHAIN_START, 1, { ...whole }, createdAt)).toBe(original);
});
