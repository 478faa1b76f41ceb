// The way of a claimed row through its worker: it takes a slot of its tenant channel, passes the gate, is
// delivered once, and frees the slot. When the worker stops, rows that have not started are released.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { freeSlot, takeSlot, type ChannelSchedulers } from "../channel-scheduler.ts";
import { deliver, type Outcome } from "../deliver.ts";
import type { DeliveryGate } from "../delivery-gate.ts";
import type { Settler } from "../settle.ts";
import type { ClaimedItem } from "./claim.ts";
import { markStarted, type StartMark } from "./leases.ts";

/** What a worker runs its rows with. */
export type RowRunner = {
  ctx: Ctx;
  database: Database;
  settler: Settler;
  schedulers: ChannelSchedulers;
  gate: DeliveryGate;
  /** How long one delivery may take. */
  deliveryMs: number;
  /** Aborted when the worker stops. */
  stopping: AbortSignal;
  claimMore(channel: string): void;
};

/** Resolves when the row is settled, or its lease is lost. It never rejects. */
export const runClaimedRow = (runner: RowRunner, item: ClaimedItem): Promise<void> =>
  item.isQuarantined ? runAlone(runner, item) : runBesideOthers(runner, item);

/** Runs up to the concurrency limit of the row's tenant channel. */
async function runBesideOthers(runner: RowRunner, item: ClaimedItem): Promise<void> {
  const { schedulers, gate, stopping } = runner;
  await takeSlot(schedulers.tenantChannelOf(item), stopping);
  const entered = gate.enter();
  // No await for an open gate: this is the path of every delivery.
  const hasEntered = entered === true || (await entered);
  const attempt = hasEntered
    ? attemptOnce(runner, item, item.losses > 0 ? "begun" : null)
    : release(runner, item);
  await freeSlotAfter(runner, item, attempt);
  if (hasEntered) gate.leave();
}

/** Runs without other rows in flight, so that a crash identifies this row. It waits for no slot. */
async function runAlone(runner: RowRunner, item: ClaimedItem): Promise<void> {
  const { schedulers, gate } = runner;
  const inExtraSlot = (attempt: () => Promise<Outcome>) => {
    schedulers.tenantChannelOf(item).inFlight += 1;
    return freeSlotAfter(runner, item, attempt());
  };
  const hasRun = await gate.runAlone(item.lossesAlone, () =>
    inExtraSlot(() => attemptOnce(runner, item, "alone")),
  );
  if (!hasRun) await inExtraSlot(() => release(runner, item));
}

/** Frees the slot, and claims more when that leaves room for it. */
async function freeSlotAfter(
  { ctx, schedulers, claimMore }: RowRunner,
  item: ClaimedItem,
  attempt: Promise<Outcome>,
): Promise<void> {
  let outcome: Outcome = "lease_lost";
  try {
    outcome = await attempt;
  } catch (error) {
    if (!isDatabaseAway(error))
      ctx.log.error("delivery.crashed", error, { shop: item.shop, channel: item.channel });
  } finally {
    freeSlot(schedulers.tenantChannelOf(item), outcome);
    if (schedulers.of(item.channel).finish(item.shop)) claimMore(item.channel);
  }
}

/** `mark`: the start is recorded first. */
async function attemptOnce(
  runner: RowRunner,
  item: ClaimedItem,
  mark: StartMark | null,
): Promise<Outcome> {
  const { ctx, database, settler, deliveryMs, stopping } = runner;
  if (stopping.aborted) return release(runner, item);
  if (mark !== null && !(await markStarted(database, item, mark))) return "lease_lost";
  const { status } = await deliver(ctx, settler, item, { limitMs: deliveryMs });
  return status;
}

async function release({ settler }: RowRunner, item: ClaimedItem): Promise<Outcome> {
  await settler.settle(item, { to: "deferred", delayMs: 0 });
  return "deferred";
}
