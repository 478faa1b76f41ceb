// An erasure whose worker has claimed it in the cell that the store leaves, and learns of the move afterwards.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ctx } from "../../../app/context.server.ts";
import { startPrivacyWorker } from "../../../app/domain/compliance/requests/privacy-worker.ts";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { requestMove } from "../../../app/domain/tenants/moves/request-move.ts";
import { startCells, untilEnded, type Cells } from "../../support/moves.ts";
import { ADA, privacy, redactBody } from "../../support/privacy.ts";
import { eventually, SHOP } from "../../support/service.ts";

let cells: Cells;
let moves: Awaited<ReturnType<typeof startMoveWorker>>;
beforeAll(async () => {
  cells = await startCells({ env: { WORKER_POLL_MS: "50" } });
  moves = await startMoveWorker(cells.service.ctx);
  await cells.service.addTenant(SHOP);
});
afterAll(async () => {
  await moves.stop();
  await cells.stop();
});

test("the erasure is done only when nothing of the person is left in the new cell", async () => {
  const { service, eu } = cells;
  const { ctx, database } = service;
  // A person without an account, whom a kept message names.
  await database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
      priority, max_retries, status, delivered_at)
     VALUES ($1, gen_random_uuid()::text, 'cms', 'storefront', 'customer.updated', 'customer', $2,
      jsonb_build_object('email', $3::text), 3, 3, 'delivered', now())`,
    [SHOP, ADA.gid, ADA.email],
  );
  const { json } = await privacy(service, "customer-redact", redactBody(ADA));
  const stateIn = async (cell: typeof eu) => {
    const select = "SELECT state FROM privacy_requests WHERE id = $1";
    return (await cell.query<{ state: string }>(select, [json.request_id]))[0]?.state;
  };

  // Home takes its time to say where the store is.
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const home: Ctx["home"] = {
    ...ctx.home,
    async acrossTenants(text, values, name) {
      if (name === "tenant_records") await answered;
      return ctx.home.acrossTenants(text, values, name);
    },
  };
  const late = await startPrivacyWorker({ ...ctx, home }, ctx.home);
  await eventually("the claim", async () => (await stateIn(database)) === "running");
  const { id } = await requestMove(ctx, SHOP, "eu");
  expect(await untilEnded(service, id)).toMatchObject({ state: "done" });
  answer();
  await late.stop();

  await eu.query("UPDATE privacy_requests SET locked_until = now() - interval '1 second'");
  const there = await startPrivacyWorker(ctx, ctx.regions.get("eu"));
  const isDone = async () => {
    await eu.query("UPDATE privacy_requests SET next_attempt_at = now() WHERE state = 'received'");
    return (await stateIn(eu)) === "done";
  };
  await eventually("the erasure", isDone);
  await there.stop();
  const left = await eu.query("SELECT payload FROM integration_queue WHERE payload::text LIKE $1", [
    `%${ADA.email}%`,
  ]);
  expect(left).toEqual([]);
});
