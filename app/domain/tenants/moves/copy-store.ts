// The second step of a move: Postgres copies the store's rows to the target, and then follows the source.
import { setTimeout as pause } from "node:timers/promises";
import { MoveFailed, type MoveRun } from "./move-run.ts";
import {
  createPublication,
  createSubscription,
  readCopyState,
  replicationName,
} from "./replication.ts";

const POLL_MS = { first: 10, longest: 500 };

export async function copyStore(run: MoveRun): Promise<void> {
  const { ctx, move, source, target, tables } = run;
  const name = replicationName(move.id);
  await createPublication(source, name, tables, move.shop);
  const sourceUrl = ctx.regions.ownerUrl(move.from_cell);
  await createSubscription(source, target, name, sourceUrl).catch((error: unknown) => {
    const { code = "", message } = error as Error & { code?: string };
    // No right, or no password was asked for. Postgres names no part of the address here.
    if (/^(42501|2F003|28)/.test(code))
      throw new MoveFailed(`The target cannot subscribe to the source: ${message}`);
    throw error;
  });
  let copied = 0;
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * 2, POLL_MS.longest)) {
    await run.check();
    const state = await readCopyState(source, target, name);
    if (state.copied > copied) run.applyFailures.forget();
    copied = state.copied;
    run.applyFailures.observe(state.errors);
    await run.report({
      tables_copied: state.copied,
      lag_bytes: state.lagBytes,
      waits_for: run.applyFailures.waitsFor(),
    });
    if (state.copied === state.tables && state.tables >= tables.length) break;
    await pause(waitMs);
  }
  await run.enter("catch_up");
}
