import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consentsOf,
  expectAgreement,
  inShort,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  syncAnonymous,
  syncAs,
  verify,
  type ConsentService,
} from "../../support/consent.ts";
import { createCtx } from "../../../app/context.server.ts";
import { toSubmission } from "../../../app/domain/consent/consent-input.ts";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { writeConsents } from "../../../app/domain/consent/write/write-consents.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP } from "../../support/service.ts";
import { statementsWait } from "../../support/processes/locked-rows.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

describe("a retry", () => {
  it("20 times concurrently with one consent_id leaves one row, reported once", async () => {
    const ada = await signUp(service);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        syncAs(service, ada, {
          consent_marketing: true,
          form_type: "newsletter",
          consent_id: "one",
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.flatMap(({ json }) => json.recorded)).toHaveLength(2);
    expect(inShort(await saidLater(service, ada))).toEqual([
      "marketing granted",
      "newsletter granted",
    ]);
    await expectAgreement(service);
  });

  it("that reaches two processes at the same moment leaves one row", async () => {
    const other = createCtx({
      channels,
      renderThemeFooters,
      config: service.ctx.config,
      databaseUrl: service.database.serviceUrl,
      baseUrl: service.url,
      log: service.ctx.log,
    });
    const gate = new pg.Client({ connectionString: service.database.serviceUrl });
    await gate.connect();
    try {
      await syncAnonymous(service, { consent_cookie: true, visitor_id: "first" });
      await gate.query("BEGIN; SELECT 1 FROM consent_chain_heads FOR UPDATE");
      const submission = toSubmission(
        { method: "banner", consent_cookie: true, consent_id: "two-processes" },
        { consentId: "", userAgent: null, gpc: false, consentVersion: null, policyHash: null },
      );
      const writing = [service.ctx, other].map(async (ctx) =>
        writeConsents(ctx, await getTenant(ctx, SHOP), {
          subject: { visitorId: "two-tabs" },
          submission,
        }),
      );
      await statementsWait(service.database, 2);
      await gate.query("COMMIT");
      expect((await Promise.all(writing)).flatMap(({ recorded }) => recorded)).toEqual([
        { consent_type: "cookie", action: "granted" },
      ]);
      expect(await logOfVisitor(service, "two-tabs")).toHaveLength(1);
    } finally {
      await gate.end();
      await other.close();
    }
  });

  it("that arrives after the opposite decision changes nothing", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, { consent_marketing: true, consent_id: "grant" });
    await syncAs(service, ada, { consent_marketing: false, consent_id: "revoke" });
    expect(
      (await syncAs(service, ada, { consent_marketing: true, consent_id: "grant" })).json.recorded,
    ).toEqual([]);
    expect((await consentsOf(service, ada)).marketing).toBe(false);
    await expectAgreement(service);
  });

  it("of the current state under another consent_id adds no row either", async () => {
    const ada = await signUp(service);
    for (const consentId of ["a", "b"])
      await syncAs(service, ada, { consent_cookie: true, consent_id: consentId });
    expect(inShort(await saidLater(service, ada))).toEqual(["cookie granted"]);
  });

  it("with another person's consent_id is a separate decision", async () => {
    const [ada, bob] = [await signUp(service), await signUp(service)];
    for (const person of [ada, bob])
      expect(
        (await syncAs(service, person, { consent_cookie: true, consent_id: "shared" })).json
          .recorded,
      ).toHaveLength(1);
  });
});

describe("the opposite decision", () => {
  it("always adds a row, also under the same consent_id, and back again", async () => {
    const ada = await signUp(service);
    for (const value of [true, false, true])
      await syncAs(service, ada, { consent_marketing: value, consent_id: "same" });
    expect(inShort(await saidLater(service, ada))).toEqual([
      "marketing granted",
      "marketing revoked",
      "marketing granted",
    ]);
    expect((await consentsOf(service, ada)).marketing).toBe(true);
    await expectAgreement(service);
  });

  it.each([
    ["2099-01-01T00:00:00Z", "0"],
    ["0", "2099-01-01T00:00:00Z"],
  ])(
    "in the same millisecond adds both rows, and the last by the server's order wins: client times %s and %s",
    async (first, second) => {
      const ada = await signUp(service);
      const answers = await Promise.all([
        syncAs(service, ada, { consent_marketing: true, consent_id: "g", timestamp: first }),
        syncAs(service, ada, { consent_marketing: false, consent_id: "r", timestamp: second }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const rows = await saidLater(service, ada);
      expect(inShort(rows).sort()).toEqual(["marketing granted", "marketing revoked"]);
      expect(
        rows.map(({ timestamp }) => timestamp ?? "").toSorted((a, b) => (a < b ? -1 : 1)),
      ).toEqual(["0", "2099-01-01T00:00:00Z"]);
      expect((await consentsOf(service, ada)).marketing).toBe(rows.at(-1)?.action === "granted");
      await expectAgreement(service);
    },
  );
});

describe("the ap2 log", () => {
  it("contains mandate events without counting them as decisions", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, { consent_ap2: true });
    await dataOf(service.ctx, await getTenant(service.ctx, SHOP)).transaction((sql) =>
      recordConsent(sql, { connection: {} }, [
        {
          userId: ada.id,
          consentType: "ap2",
          action: "mandate_created",
          method: "mandate",
          consentId: "m1",
        },
      ]),
    );
    expect((await syncAs(service, ada, { consent_ap2: true })).json.recorded).toEqual([]);
    expect((await syncAs(service, ada, { consent_ap2: false })).json.recorded).toEqual([
      { consent_type: "ap2", action: "revoked" },
    ]);
    await expectAgreement(service);
  });
});

describe("concurrency", () => {
  it("50 changes of 10 people keep one chain without a gap, and every flag matches its last row", async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => signUp(service)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        syncAs(service, people[n % 10]!, {
          consent_marketing: n % 3 === 0,
          consent_cookie: n % 2 === 0,
          consent_id: `p${n}`,
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    await expectAgreement(service);
  });

  it("verification during writes does not report the chain as broken", async () => {
    const visitors = Array.from({ length: 40 }, (_, n) => n);
    const [reports] = await Promise.all([
      (async () => {
        const found = [];
        for (const _ of Array(12)) found.push(await verify(service));
        return found;
      })(),
      ...visitors.map(async (n) => {
        for (const value of [true, false, true])
          await syncAnonymous(service, { consent_cookie: value, visitor_id: `busy-${n}` });
      }),
    ]);
    expect(reports.filter(({ ok }) => !ok)).toEqual([]);
  });
});
