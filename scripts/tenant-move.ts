// `npm run tenant:move -- <shop> <cell>`: moves a store to another cell and shows how far it is, until the end.
// The move is worked by the service's own workers, or by this process when there is none.
import { setTimeout as pause } from "node:timers/promises";
import { findOpenMove, getMove, type MoveView } from "../app/domain/tenants/moves/move-record.ts";
import { startMoveWorker } from "../app/domain/tenants/moves/move-worker.ts";
import { requestMove } from "../app/domain/tenants/moves/request-move.ts";
import { isAppError } from "../app/runtime/errors.ts";
import { openServiceContext } from "./service-context.ts";

const POLL_MS = 250;
const [shop, cell] = process.argv.slice(2);
if (!shop || !cell) {
  process.stderr.write("usage: npm run tenant:move -- <shop> <cell>\n");
  process.exit(2);
}
const ctx = openServiceContext();

const describe = ({ step, progress, error }: MoveView): string =>
  [
    step.padEnd(8),
    progress.tables_copied !== undefined && `${progress.tables_copied}/${progress.tables} tables`,
    progress.lag_bytes ? `${progress.lag_bytes} bytes behind` : null,
    progress.refused_ms !== undefined && `writes refused for ${progress.refused_ms} ms`,
    progress.waits_for && `waits for ${progress.waits_for}`,
    error,
  ]
    .filter(Boolean)
    .join("  ");

try {
  // A move that was begun before is followed, wherever it goes.
  const { id } = (await findOpenMove(ctx, shop)) ?? (await requestMove(ctx, shop, cell));
  const worker = await startMoveWorker(ctx);
  let shown = "";
  let move: MoveView;
  do {
    move = await getMove(ctx, id);
    const line = describe(move);
    if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
    await pause(POLL_MS);
  } while (move.state === "waiting" || move.state === "running");
  await worker.stop();
  process.stdout.write(`${move.state}: ${shop} from ${move.from} to ${move.to}\n`);
  if (move.state !== "done") process.exitCode = 1;
} catch (error) {
  if (!isAppError(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await ctx.close();
}
