// A process that claims from one work queue and never finishes: tests kill it. Prints the ids that
// it holds.
import { WORK_QUEUES } from "../work-queues.ts";
import { openDatabase } from "../../../app/runtime/database/database.ts";
import { startWorkQueue } from "../../../app/runtime/database/queue/work-queue.ts";
import { createLog } from "../../../app/runtime/log.ts";

const log = createLog("silent");
const queue = WORK_QUEUES.find(({ name }) => name === process.env.QUEUE);
if (!queue) throw new Error(`unknown queue ${process.env.QUEUE}`);
const database = openDatabase({
  url: process.env.DATABASE_URL as string,
  region: "default",
  poolSize: 2,
  log,
});
await startWorkQueue({
  name: queue.name,
  database,
  notification: null,
  pollMs: 50,
  leaseSeconds: queue.table.leaseSeconds,
  concurrency: 1,
  stopWaitMs: 1_000,
  log,
  claim: (limit) => queue.claim(database, limit),
  renew: (items) => queue.table.renew(database, items),
  release: (items) => queue.table.release(database, items),
  work: ({ id }) => {
    process.stdout.write(`holds ${id}\n`);
    return new Promise(() => {});
  },
});
