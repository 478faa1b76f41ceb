// What reads a store's rows for longer than a move takes: a file, or the verification of the consent log, that
// began in the cell that the store leaves.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ctx } from "../../../app/context.server.ts";
import {
  recordAccess,
  type Access,
} from "../../../app/domain/compliance/access-log/record-access.ts";
import { compileExport } from "../../../app/domain/compliance/export/compile-export.ts";
import { compileExportOf } from "../../../app/domain/compliance/own-data/own-export.ts";
import { writeCheckpoint } from "../../../app/domain/consent/checkpoints.ts";
import { exportConsentLog } from "../../../app/domain/consent/consent-log.ts";
import { verifyConsentChain } from "../../../app/domain/consent/verify-chain.ts";
import { CustomerFilter } from "../../../app/domain/customers/list/customer-filter.ts";
import { exportCustomers } from "../../../app/domain/customers/list/export-customers.ts";
import { getAccount } from "../../../app/domain/identity/account.ts";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { requestMove } from "../../../app/domain/tenants/moves/request-move.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { startCells, untilEnded, type Cells } from "../../support/moves.ts";
import { signUp, syncAs } from "../../support/consent.ts";
import { SHOP } from "../../support/service.ts";

const CUSTOMERS = 2_500;
let cells: Cells;
let worker: Awaited<ReturnType<typeof startMoveWorker>>;
/** Called while the store's writes are refused. */
let inBarrier: () => void = () => {};
beforeAll(async () => {
  cells = await startCells({ env: { WORKER_POLL_MS: "50" } });
  worker = await startMoveWorker(cells.service.ctx, {
    reached: (step) => (step === "sealed" ? inBarrier() : undefined),
  });
  await cells.service.addTenant(SHOP);
  await cells.service.database.query(
    `INSERT INTO storefront_users (shop, email)
      SELECT $1, 'customer-' || n || '@store.example' FROM generate_series(1, $2::int) AS n`,
    [SHOP, CUSTOMERS],
  );
});
afterAll(async () => {
  await worker.stop();
  await cells.stop();
});

const here = () => getTenant(cells.service.ctx, SHOP);

/** Moves the store into the other cell, to the end: its rows are deleted where it was. */
async function move(): Promise<void> {
  const { service } = cells;
  const to = (await here()).region === "eu" ? "default" : "eu";
  const { id } = await requestMove(service.ctx, SHOP, to);
  expect(await untilEnded(service, id)).toMatchObject({ state: "done" });
}

/** The lines of a file; the store moves after its `parts` first parts. */
async function readFile(file: AsyncGenerator<string>, parts: number): Promise<string[]> {
  let text = "";
  for (let n = 0; n < parts; n += 1) text += (await file.next()).value;
  await move();
  for await (const part of file) text += part;
  return text.trimEnd().split("\r\n");
}

const accessOf = (requestId: string): Access => ({
  actor: { kind: "staff", id: "1" },
  action: "exported",
  userIds: [],
  count: null,
  place: "/app/customers/export",
  requestId,
});

async function recorded(requestId: string): Promise<unknown[]> {
  const database = (await here()).region === "eu" ? cells.eu : cells.service.database;
  const log = "SELECT count FROM access_log WHERE shop = $1 AND request_id = $2";
  return database.query(log, [SHOP, requestId]);
}

test("the file of all customers has every one, and its number is recorded", async () => {
  const { ctx } = cells.service;
  const tenant = await here();
  const customers = await dataOf(ctx, tenant).prisma.storefrontUser.count();
  expect(customers).toBeGreaterThanOrEqual(CUSTOMERS);
  const access = await recordAccess(ctx, tenant, accessOf("the-file"));
  const file = exportCustomers(ctx, tenant, { filter: CustomerFilter.parse({}) }, access.setCount);
  // The header and the first slice.
  const lines = await readFile(file, 2);
  expect(new Set(lines).size).toBe(customers + 1);
  expect(await recorded("the-file")).toEqual([{ count: customers }]);
});

test("accesses of requests from before the move, and from within it, are recorded", async () => {
  const { ctx } = cells.service;
  const tenant = await here();
  let recording: Promise<unknown> = Promise.resolve();
  inBarrier = () => void (recording = recordAccess(ctx, tenant, accessOf("within-the-move")));
  await move();
  inBarrier = () => {};
  await recording;
  await recordAccess(ctx, tenant, accessOf("before-the-move"));
  expect(await recorded("within-the-move")).toHaveLength(1);
  expect(await recorded("before-the-move")).toHaveLength(1);
});

test("the file of a person's data has everything, for the person and for the merchant", async () => {
  const { service } = cells;
  const person = await signUp(service);
  const tenant = await here();
  const { sql } = dataOf(service.ctx, tenant);
  const account = await getAccount(sql, person.id);
  const compile = () => compileExportOf(service.ctx, tenant, account, { isOwnerVerified: true });
  const { exported_at: _before, ...whole } = (await compile()) as Record<string, unknown>;
  await move();
  const { exported_at: _after, ...moved } = (await compile()) as Record<string, unknown>;
  expect(moved).toEqual(whole);
  expect(moved.accounts).toHaveLength(1);

  const request = { id: 1, receivedAt: new Date(), dueBy: new Date(), externalId: null };
  const { counts, userIds } = await compileExport(service.ctx, tenant, request, {
    email: person.email,
  });
  expect([userIds, counts.accounts, counts.consent_records]).toEqual([[person.id], 1, 2]);
});

test("the file of the consent log has every row, and its verification finds none missing", async () => {
  const { service } = cells;
  const person = await signUp(service);
  for (const consent_marketing of [true, false, true])
    await syncAs(service, person, { consent_marketing });
  await writeCheckpoint(service.ctx, await here());
  const whole = await verifyConsentChain(service.ctx, await here());
  expect(whole).toMatchObject({ ok: true, problems: [] });

  const lines = await readFile(exportConsentLog(service.ctx, await here(), {}), 1);
  expect(lines).toHaveLength(whole.rows + 1);

  const archive: Ctx["archive"] = {
    ofStore(shop) {
      const store = service.ctx.archive.ofStore(shop);
      return {
        ...store,
        async list(...args) {
          const found = await store.list(...args);
          if ((await here()).region === tenant.region) await move();
          return found;
        },
      };
    },
  };
  const tenant = await here();
  expect(await verifyConsentChain({ ...service.ctx, archive }, tenant)).toEqual(whole);
});
