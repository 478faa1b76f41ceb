// One worker of this process over channels with scripted receivers.
import { startWorker, type Worker } from "../../../app/domain/bus/worker.ts";
import type { Ctx } from "../../../app/context.server.ts";
import type { Clock } from "../../../app/runtime/clock.ts";
import { channelTo, startReceiver, type Scripted } from "./queue.ts";
import { eventually, SHOP, startService, type Service } from "../service.ts";

export type WorkerApp = {
  service: Service;
  /** Receivers by channel name: `fast` and `slow`. */
  fast: Scripted;
  slow: Scripted;
  start(options?: {
    clock?: Clock;
    timeoutMs?: number;
    deliveryMs?: number;
    archive?: Ctx["archive"];
  }): Promise<Worker>;
  /** Stops the test's workers, empties everything, and registers the store again. */
  reset(): Promise<void>;
  stop(): Promise<void>;
  rows(): Promise<QueueRow[]>;
  attempts(): Promise<
    {
      queue_id: number;
      attempt: number;
      status: string;
      http_status: number | null;
      error: string | null;
    }[]
  >;
  allDelivered(count: number, withinMs?: number): Promise<QueueRow[]>;
};

type QueueRow = {
  id: number;
  shop: string;
  channel: string;
  status: string;
  retry_count: number;
  last_error: string | null;
  locked_by: string | null;
  lease_lost: number;
  due_in: number;
};

export async function startWorkerApp(): Promise<WorkerApp> {
  const service = await startService();
  let running: Worker[] = [];
  const app = {
    service,
    async start({ clock, timeoutMs = 15_000, deliveryMs, archive } = {}) {
      const ctx: Ctx = {
        ...service.ctx,
        channels: [
          channelTo("fast", app.fast.url, timeoutMs),
          channelTo("slow", app.slow.url, timeoutMs),
        ],
        ...(clock && { clock }),
        ...(archive && { archive }),
      };
      const worker = await startWorker(ctx, ctx.home, { ...(deliveryMs && { deliveryMs }) });
      running.push(worker);
      return worker;
    },
    async reset() {
      await halt();
      await service.database.truncate();
      await service.addTenant(SHOP);
      [app.fast, app.slow] = [await startReceiver(), await startReceiver()];
    },
    async stop() {
      await halt();
      await service.stop();
    },
    rows: () =>
      service.database.query<QueueRow>(
        `SELECT id::int, shop, channel, status, retry_count, last_error, locked_by, lease_lost,
          extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS due_in
          FROM integration_queue ORDER BY id`,
      ),
    attempts: () =>
      service.database.query(
        "SELECT queue_id::int, attempt, status, http_status, error FROM delivery_attempts ORDER BY id",
      ),
    allDelivered: (count: number, withinMs?: number) =>
      eventually(
        `${count} delivered rows`,
        async () => {
          const rows = await app.rows();
          return rows.filter(({ status }) => status === "delivered").length === count && rows;
        },
        withinMs,
      ),
  } as WorkerApp;

  /** Receivers first: a hanging delivery must not delay the worker's stop. */
  async function halt(): Promise<void> {
    await Promise.all([app.fast?.stop(), app.slow?.stop()]);
    await Promise.all(running.map((worker) => worker.stop()));
    running = [];
  }
  return app;
}
