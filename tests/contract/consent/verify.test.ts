import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHAIN_START,
  chainHash,
  recordConsent,
} from "../../../app/domain/consent/record-consent.ts";
import {
  checkpoint,
  signUp,
  startConsentService,
  syncAs,
  tamper,
  verify,
  type ConsentService,
  type LogRow,
} from "../../support/consent.ts";
import { APP_SECRET, OTHER_SHOP, SHOP, testEnvironment } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
  const ada = await signUp(service);
  for (let n = 0; n < 8; n += 1)
    await syncAs(service, ada, { consent_cookie: n % 2 === 0, consent_version: "v1" });
  await syncAs(
    service,
    await signUp(service, {}, OTHER_SHOP),
    { consent_cookie: true },
    { shop: OTHER_SHOP },
  );
  await service.database.query(
    "CREATE TABLE kept_log AS TABLE consent_records; CREATE TABLE kept_heads AS TABLE consent_chain_heads",
  );
});
afterAll(() => service.stop());

const FORGET_CHECKPOINT = "DELETE FROM kv WHERE key = 'consent_checkpoint'";

// Every test starts from the same valid log of ten rows with one signed checkpoint at its end.
beforeEach(async () => {
  await tamper(
    service,
    "DELETE FROM consent_records",
    "DELETE FROM consent_chain_heads",
    FORGET_CHECKPOINT,
    "INSERT INTO consent_records SELECT * FROM kept_log",
    "INSERT INTO consent_chain_heads SELECT * FROM kept_heads",
  );
  for (const path of await archive().list("consent/")) await archive().remove(path);
  if (!(await checkpoint(service))) throw new Error("the checkpoint was not written");
});

const archive = () => service.ctx.archive.ofStore(SHOP);
const ROWS = 10;
/** The rows that verification reads at once. */
const SLICE = 5_000;
const at = (seq: number) => `shop = '${SHOP}' AND seq = ${seq}`;
const idAt = async (seq: number) =>
  (
    await service.database.query<{ id: number }>(`SELECT id FROM consent_records WHERE ${at(seq)}`)
  )[0]?.id;
const pathOf = (seq: number) => `consent/checkpoints/${SHOP}/${String(seq).padStart(12, "0")}.json`;

/** An attacker who owns the database and knows the chain's format, but not the checkpoint key. */
async function rewrite(change: (row: LogRow) => Partial<LogRow>, keepRows = ROWS): Promise<void> {
  const rows = (
    await service.database.query<LogRow>(
      "SELECT * FROM consent_records WHERE shop = $1 ORDER BY seq",
      [SHOP],
    )
  ).slice(0, keepRows);
  let prev = CHAIN_START;
  const statements = [`DELETE FROM consent_records WHERE shop = '${SHOP}' AND seq > ${keepRows}`];
  for (const [index, old] of rows.entries()) {
    const row = { ...old, ...change(old) };
    const hash = chainHash(
      prev,
      index + 1,
      {
        userId: row.user_id,
        visitorId: row.visitor_id,
        consentType: row.consent_type,
        action: row.action,
        method: row.method,
        consentVersion: row.consent_version,
        consentId: row.consent_id,
        userAgent: row.user_agent,
        gaSessionId: row.ga_session_id,
        timestamp: row.timestamp,
        formType: row.form_type,
        sourcePage: row.source_page,
        policyHash: row.policy_hash,
        gpc: row.gpc,
      },
      row.created_at,
    );
    statements.push(
      `UPDATE consent_records SET action = '${row.action}', prev_hash = '${prev}', hash = '${hash}'
        WHERE ${at(index + 1)}`,
    );
    prev = hash;
  }
  await tamper(
    service,
    ...statements,
    `UPDATE consent_chain_heads SET seq = ${rows.length}, hash = '${prev}' WHERE shop = '${SHOP}'`,
  );
}

describe("an unchanged log", () => {
  it("is valid with its checkpoint, before its first one, and when empty", async () => {
    expect(await verify(service)).toEqual({ ok: true, rows: ROWS, problems: [] });
    await archive().remove(pathOf(ROWS));
    await tamper(service, FORGET_CHECKPOINT);
    expect(await verify(service)).toEqual({ ok: true, rows: ROWS, problems: [] });
    await service.addTenant("empty-store.myshopify.com");
    expect(await verify(service, "empty-store.myshopify.com")).toEqual({
      ok: true,
      rows: 0,
      problems: [],
    });
  });

  it("gets one checkpoint per state, however often verification runs", async () => {
    expect(await checkpoint(service)).toBe(false);
    expect(await archive().list("consent/")).toEqual([pathOf(ROWS)]);
  });
});

describe("the verification of a changed log", () => {
  it.each([
    "action = 'granted'",
    "consent_type = 'marketing'",
    "user_id = 999",
    "visitor_id = 'x'",
    "method = 'x'",
    "consent_version = 'v2'",
    "consent_id = 'x'",
    "user_agent = 'x'",
    "ga_session_id = 'x'",
    "timestamp = 'x'",
    "form_type = 'x'",
    "source_page = 'x'",
    "policy_hash = 'x'",
    "gpc = true",
    "created_at = created_at - interval '1 ms'",
  ])("detects and names an edited row: %s", async (change) => {
    await tamper(service, `UPDATE consent_records SET ${change} WHERE ${at(4)}`);
    expect(await verify(service)).toEqual({
      ok: false,
      rows: ROWS,
      problems: [{ id: await idAt(4), seq: 4, kind: "edited" }],
    });
  });

  it("detects and names two swapped rows", async () => {
    await tamper(
      service,
      `UPDATE consent_records SET seq = -3 WHERE ${at(3)}`,
      `UPDATE consent_records SET seq = 3 WHERE ${at(4)}`,
      `UPDATE consent_records SET seq = 4 WHERE ${at(-3)}`,
    );
    const { ok, problems } = await verify(service);
    expect(ok).toBe(false);
    expect(problems.filter(({ kind }) => kind === "edited").map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it.each([
    { change: "id + 1000000", seq: 4, named: 5 },
    { change: "-id", seq: 4, named: 4 },
    { change: "-id", seq: 1, named: 1 },
    { change: "id + 1000000", seq: ROWS, named: ROWS },
  ])(
    "detects and names a row moved within a person's history: id = $change at seq $seq, named at seq $named",
    async ({ change, seq, named }) => {
      await tamper(service, `UPDATE consent_records SET id = ${change} WHERE ${at(seq)}`);
      expect(await verify(service)).toEqual({
        ok: false,
        rows: ROWS,
        problems: [{ id: await idAt(named), seq: named, kind: "broken_link" }],
      });
    },
  );

  it("detects and names a row moved within a person's history behind a missing row", async () => {
    await tamper(
      service,
      `DELETE FROM consent_records WHERE ${at(5)}`,
      `UPDATE consent_records SET id = -id WHERE ${at(6)}`,
    );
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: 5, kind: "missing" },
      { id: await idAt(6), seq: 6, kind: "broken_link" },
    ]);
  });

  it("detects and names a row moved within a person's history of a log that is read in several slices", async () => {
    const shop = "long-log.myshopify.com";
    await service.addTenant(shop);
    const entry = { userId: 1, consentType: "tos", action: "granted", method: "x", consentId: "x" };
    await service.ctx.home.forTenant(shop).transaction((sql) =>
      recordConsent(
        sql,
        { connection: {} },
        Array.from({ length: SLICE + 2 }, () => entry),
      ),
    );
    expect(await verify(service, shop)).toEqual({ ok: true, rows: SLICE + 2, problems: [] });
    await tamper(
      service,
      `UPDATE consent_records SET id = id + 1000000 WHERE shop = '${shop}' AND seq = ${SLICE}`,
    );
    expect((await verify(service, shop)).problems).toMatchObject([
      { seq: SLICE + 1, kind: "broken_link" },
    ]);
  });

  it("detects and names a row missing in the middle", async () => {
    await tamper(service, `DELETE FROM consent_records WHERE ${at(5)}`);
    expect((await verify(service)).problems).toEqual([{ id: null, seq: 5, kind: "missing" }]);
  });

  it("detects and names a missing first row", async () => {
    await tamper(service, `DELETE FROM consent_records WHERE ${at(1)}`);
    expect((await verify(service)).problems[0]).toEqual({ id: null, seq: 1, kind: "missing" });
  });

  it("detects and names a truncated tail, by the head", async () => {
    await tamper(service, `DELETE FROM consent_records WHERE shop = '${SHOP}' AND seq > 8`);
    expect((await verify(service)).problems).toEqual([{ id: null, seq: 9, kind: "tail_missing" }]);
  });

  it("detects and names a tail truncated together with the head, by the checkpoint", async () => {
    await rewrite(() => ({}), 8);
    expect((await verify(service)).problems).toEqual([{ id: null, seq: 9, kind: "tail_missing" }]);
  });

  it("detects and names a deleted log, head included", async () => {
    await tamper(service, "DELETE FROM consent_records", "DELETE FROM consent_chain_heads");
    expect((await verify(service)).problems).toEqual([{ id: null, seq: 1, kind: "tail_missing" }]);
  });

  it("detects and names a deleted head", async () => {
    await tamper(service, "DELETE FROM consent_chain_heads");
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: ROWS, kind: "head_missing" },
    ]);
  });

  it("detects and names a head that is not of the last row", async () => {
    await tamper(service, `UPDATE consent_chain_heads SET hash = 'x' WHERE shop = '${SHOP}'`);
    expect((await verify(service)).problems).toEqual([
      { id: await idAt(ROWS), seq: ROWS, kind: "broken_link" },
    ]);
  });

  it("detects and names a head set back so that the last rows could be replaced", async () => {
    await tamper(
      service,
      `UPDATE consent_chain_heads SET seq = 8, hash = (SELECT hash FROM consent_records
        WHERE ${at(8)}) WHERE shop = '${SHOP}'`,
    );
    expect((await verify(service)).problems).toEqual([{ id: null, seq: 9, kind: "broken_link" }]);
  });

  it("detects and names a rebuilt chain with its head, by the checkpoint", async () => {
    await rewrite((row) => ({ action: row.consent_type === "cookie" ? "granted" : row.action }));
    expect((await verify(service)).problems).toEqual([
      { id: await idAt(ROWS), seq: ROWS, kind: "checkpoint_mismatch" },
    ]);
  });

  it("detects and names a rebuilt chain with a forged checkpoint", async () => {
    await rewrite((row) => ({ action: row.consent_type === "cookie" ? "granted" : row.action }));
    const [head] = await service.database.query<{ hash: string }>(
      `SELECT hash FROM consent_chain_heads WHERE shop = '${SHOP}'`,
    );
    const real = JSON.parse((await archive().get(pathOf(ROWS)))!.toString("utf8")) as object;
    await archive().put(pathOf(ROWS), JSON.stringify({ ...real, hash: head?.hash }));
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: ROWS, kind: "checkpoint_forged" },
    ]);
  });

  it.each(["", "{", "null", "{}", '{"seq":10}', "\u0000"])(
    "detects and names a checkpoint overwritten with %j",
    async (nonsense) => {
      writeFileSync(join(service.archiveFolder, SHOP, pathOf(ROWS)), nonsense);
      expect((await verify(service)).problems).toEqual([
        { id: null, seq: ROWS, kind: "checkpoint_forged" },
      ]);
    },
  );

  it("detects and names another store's checkpoint in place of this store's", async () => {
    expect(await checkpoint(service, OTHER_SHOP)).toBe(true);
    const [theirs] = await service.objects.list(`${OTHER_SHOP}/consent/checkpoints/`);
    await archive().put(pathOf(3), (await service.objects.get(theirs as string)) as Buffer);
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: 3, kind: "checkpoint_forged" },
    ]);
  });

  it("detects and names a deleted newest checkpoint", async () => {
    await archive().remove(pathOf(ROWS));
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: ROWS, kind: "checkpoint_missing" },
    ]);
  });

  it("detects and names a deleted older checkpoint, also when the database records of all of them are deleted", async () => {
    await syncAs(service, await signUp(service), { consent_cookie: true });
    expect(await checkpoint(service)).toBe(true);
    expect((await verify(service)).ok).toBe(true);
    await archive().remove(pathOf(ROWS));
    await tamper(service, FORGET_CHECKPOINT);
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: ROWS, kind: "checkpoint_missing" },
    ]);
  });

  it("detects and names a checkpoint without its predecessor", async () => {
    await syncAs(service, await signUp(service), { consent_cookie: true });
    await checkpoint(service);
    const newest = (await archive().list("consent/")).at(-1) as string;
    const { previous, ...rest } = JSON.parse((await archive().get(newest))!.toString("utf8")) as {
      seq: number;
      previous: number;
    };
    expect(previous).toBe(ROWS);
    await archive().put(newest, JSON.stringify(rest));
    expect((await verify(service)).problems).toEqual([
      { id: null, seq: rest.seq, kind: "checkpoint_forged" },
    ]);
  });

  it("reports nothing for another store's intact log", async () => {
    await tamper(service, `UPDATE consent_records SET action = 'x' WHERE ${at(4)}`);
    expect((await verify(service, OTHER_SHOP)).ok).toBe(true);
  });
});

describe("authorization", () => {
  it("requires an admin key of this store: 401 without one, with a person's session and with a wrong key", async () => {
    const ada = await signUp(service);
    for (const key of [null, ada.token, "wrong-key-0123456789"])
      expect(
        (await service.call("GET", `/admin/consent/verify?shop=${SHOP}`, { key })).status,
      ).toBe(401);
    expect(
      (await service.call("GET", "/admin/consent/verify?shop=nobody.myshopify.com")).status,
    ).toBe(404);
    expect((await service.call("GET", "/admin/consent/verify")).json.code).toBe("tenant_required");
  });
});

describe("npm run consent:verify", () => {
  const run = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((done) => {
      const env = {
        PATH: process.env.PATH,
        ...testEnvironment(service.sandbox, service.database.serviceUrl),
        PLATFORM_APP_SECRET: APP_SECRET,
        BASE_URL: service.url,
        ARCHIVE_URL: `file:${service.archiveFolder}`,
        NODE_ENV: "production",
      };
      execFile(
        process.execPath,
        [resolve(import.meta.dirname, "../../../scripts/consent-verify.ts"), ...args],
        { env: env as NodeJS.ProcessEnv },
        (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
      );
    });

  it("exits 0 and lists every store when all logs are valid", async () => {
    const { code, out, err } = await run();
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`ok       ${SHOP}: ${ROWS} rows\n`);
    expect(out).toContain(`ok       ${OTHER_SHOP}: 3 rows\n`);
  });

  it("exits 1 and names the edited row, and checks a single store when given one", async () => {
    await tamper(service, `UPDATE consent_records SET action = 'x' WHERE ${at(4)}`);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain(
      `PROBLEMS ${SHOP}: ${ROWS} rows\n         edited at seq 4 (row ${await idAt(4)})\n`,
    );
    expect(await run(OTHER_SHOP)).toEqual({
      code: 0,
      out: `ok       ${OTHER_SHOP}: 3 rows\n`,
      err: "",
    });
  });

  it("exits non-zero for an unknown store", async () => {
    expect((await run("nobody.myshopify.com")).code).not.toBe(0);
  });
});
