import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  signUp,
  startConsentService,
  syncAs,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  service = await startConsentService();
  [ada, bob] = [await signUp(service), await signUp(service)];
  for (let n = 0; n < 9; n += 1) {
    await syncAs(service, ada, { consent_cookie: n % 2 === 0, consent_id: `a${n}` });
    await syncAs(service, bob, { consent_cookie: n % 2 === 0, consent_id: `b${n}` });
  }
});
afterAll(() => service.stop());

const history = (query: string, person: Person | null = ada, shop = SHOP) =>
  service.call("GET", `/ucp/consent-history?shop=${shop}${query}`, { key: person?.token ?? null });
const FIELDS = [
  "id",
  "user_id",
  "consent_type",
  "action",
  "method",
  "consent_version",
  "consent_id",
  "user_agent",
  "ga_session_id",
  "timestamp",
  "created_at",
];

describe("the shopper's own consent history", () => {
  it("is newest first, with the fields of the table and no others", async () => {
    const { status, json } = await history("");
    expect(status).toBe(200);
    expect(json.next_cursor).toBeNull();
    expect(json.records).toHaveLength(11);
    expect(json.records.map((row: { id: number }) => row.id)).toEqual(
      json.records.map((row: { id: number }) => row.id).toSorted((a: number, b: number) => b - a),
    );
    for (const row of json.records) expect(Object.keys(row)).toEqual(FIELDS);
    expect(json.records[0]).toMatchObject({
      consent_id: "a8",
      user_id: ada.id,
      consent_type: "cookie",
      action: "granted",
    });
  });

  it("says on demand of each record whether it granted, declined or withdrew", async () => {
    const { json } = await history("&include=outcome&limit=3");
    expect(json.records.map((row: { outcome: string }) => row.outcome)).toEqual([
      "granted",
      "withdrawn",
      "granted",
    ]);
    expect(Object.keys(json.records[0])).toEqual([...FIELDS, "outcome"]);
    expect((await history("&include=everything")).json.code).toBe("invalid_request");
  });

  it("pages through every row once, also while rows are added", async () => {
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; cursor !== null; page += 1) {
      const {
        json,
      }: {
        json: {
          records: { consent_id: string; consent_type: string }[];
          next_cursor: string | null;
        };
      } = await history(`&limit=3${cursor && `&cursor=${cursor}`}`);
      expect(json.records.length).toBeLessThanOrEqual(3);
      seen.push(...json.records.map((row) => `${row.consent_id} ${row.consent_type}`));
      cursor = json.next_cursor;
      if (page === 1) await syncAs(service, ada, { consent_a2a: true, consent_id: "added" });
    }
    expect(seen).toHaveLength(11);
    expect(new Set(seen).size).toBe(11);
  });

  it("never contains another person's rows", async () => {
    const [mine, theirs] = [await history("&limit=100"), await history("&limit=100", bob)];
    expect(mine.json.records.filter((row: { user_id: number }) => row.user_id !== ada.id)).toEqual(
      [],
    );
    expect(
      theirs.json.records.filter((row: { user_id: number }) => row.user_id !== bob.id),
    ).toEqual([]);
    expect((await history("&format=csv")).text).not.toMatch(/,b\d,/);
  });

  it("rejects a cursor that is another person's, damaged or made up", async () => {
    const own = (await history("&limit=2")).json.next_cursor as string;
    const foreign = (await history("&limit=2", bob)).json.next_cursor as string;
    for (const cursor of [
      foreign,
      `${own}x`,
      own.slice(1),
      Buffer.from("5.x").toString("base64url"),
      "",
      "%00".slice(0, 0) + "5",
    ]) {
      const answer = await history(`&cursor=${cursor}`);
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_cursor"]);
    }
  });

  it.each(["0", "101", "-1", "x", "1.5", ""])("with the limit %j answers 400", async (limit) => {
    expect((await history(`&limit=${limit}`)).json.code).toBe("invalid_request");
  });

  it("in an unknown format answers 400", async () => {
    expect((await history("&format=xml")).json.code).toBe("invalid_request");
  });

  it("is for its owner only: 401 without a session and with another store's, no cross-site reads", async () => {
    const stranger = await signUp(service, {}, OTHER_SHOP);
    expect((await history("", null)).status).toBe(401);
    expect((await history("", stranger)).status).toBe(401);
    expect((await history("", ada, OTHER_SHOP)).status).toBe(401);
    const evil = await service.call("GET", `/ucp/consent-history?shop=${SHOP}`, {
      key: ada.token,
      headers: { Origin: "https://evil.example" },
    });
    expect(evil.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("as CSV", () => {
  it("is complete, whatever the limit, and sent as an uncached download", async () => {
    const answer = await history("&format=csv&limit=1", bob);
    expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      "text/csv; charset=utf-8",
      "no-store",
    ]);
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    const lines = answer.text.split("\r\n");
    expect(lines[0]).toBe(FIELDS.join(","));
    expect(lines).toHaveLength(1 + 11 + 1);
  });

  it("is safe from formula injection and keeps its columns for any text", async () => {
    const eve = await signUp(service);
    const typed = [
      '=HYPERLINK("http://evil.example")',
      "+1",
      "-1",
      "@x",
      "a,b",
      'a"b',
      "two\nlines",
      "\t=1",
    ];
    for (const [n, version] of typed.entries())
      await syncAs(
        service,
        eve,
        { consent_cookie: n % 2 === 0, consent_version: version, timestamp: "=1+1" },
        { headers: { "User-Agent": "=cmd|' /C calc'!A0" } },
      );
    const { text } = await history("&format=csv", eve);
    const cells = [...text.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^,"\r\n]*))/g)].map(
      ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
    );
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(
      cells
        .filter((_, index) => index % FIELDS.length === FIELDS.indexOf("consent_version"))
        .slice(1, 9)
        .toReversed(),
    ).toEqual([
      '\'=HYPERLINK("http://evil.example")',
      "'+1",
      "'-1",
      "'@x",
      "a,b",
      'a"b',
      "two\nlines",
      "'\t'=1",
    ]);
  });
});
