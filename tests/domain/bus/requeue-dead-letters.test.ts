// A dead letter goes back into the queue although something else holds its row at that moment: its alert, its copy in
// the archive, another replay.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readReplay, startReplay } from "../../../app/domain/bus/dead-letters/replay-run.ts";
import { sweepDeadLetters } from "../../../app/domain/bus/dead-letters/requeue-dead-letters.ts";
import { replayEvent } from "../../../app/domain/merchant/event-screen.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { addRows } from "../../support/bus/queue.ts";
import { lockRows, statementsWait } from "../../support/processes/locked-rows.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
let held: number;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP);
  tenant = await getTenant(service.ctx, SHOP);
  [held] = (await addRows(service.database, { shop: SHOP, count: 3 })) as [number];
  await service.database.query(
    "UPDATE integration_queue SET status = 'dead_letter', dead_lettered_at = now() - interval '2 hours'",
  );
});

const statuses = async () =>
  (await service.database.query("SELECT status FROM integration_queue ORDER BY id")).map(
    ({ status }) => status,
  );

async function replayAll(): Promise<number> {
  await startReplay(service.ctx, tenant, { channel: null });
  const run = await eventually("the replay is over", async () => {
    const known = await readReplay(service.ctx, tenant);
    return known?.state !== "running" && known;
  });
  return run.result?.requeued ?? 0;
}

async function replayEach(): Promise<number> {
  let requeued = 0;
  for (const { id, event_id: eventId } of await service.database.query(
    "SELECT id::int, event_id FROM integration_queue",
  ))
    requeued += (await replayEvent(service.ctx, tenant, eventId, { queue_id: id })).requeued;
  return requeued;
}

describe.each([
  ["the sweep of the scheduled run", () => sweepDeadLetters(service.ctx, tenant)],
  ["a replay of all", replayAll],
  ["a replay of one", replayEach],
])("%s", (_, requeue) => {
  it("requeues a dead letter whose row is held, and waits for it", async () => {
    const locked = await lockRows(
      service.database,
      "SELECT 1 FROM integration_queue WHERE id = $1",
      [held],
    );
    const requeued = requeue();
    await statementsWait(service.database);
    await locked.release();
    expect(await requeued).toBe(3);
    expect(await statuses()).toEqual(["pending", "pending", "pending"]);
  });
});

it("two sweeps that run at once requeue each dead letter once", async () => {
  const locked = await lockRows(service.database, "SELECT 1 FROM integration_queue");
  const sweeps = [1, 2].map(() => sweepDeadLetters(service.ctx, tenant));
  await statementsWait(service.database, 2);
  await locked.release();
  const [one = 0, other = 0] = await Promise.all(sweeps);
  expect(one + other).toBe(3);
  expect(
    await service.database.query("SELECT DISTINCT sweep_count FROM integration_queue"),
  ).toEqual([{ sweep_count: 1 }]);
});

it.each([
  ["a replay of all", replayAll],
  ["a replay of one", replayEach],
])(
  "%s requeues a dead letter without the time of its death, as another program writes it",
  async (_, requeue) => {
    await service.database.query(
      "UPDATE integration_queue SET dead_lettered_at = NULL WHERE id = $1",
      [held],
    );
    expect(await requeue()).toBe(3);
  },
);
