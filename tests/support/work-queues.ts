// The queues of leased rows, as their tables are, for the tests that hold for all of them.
import type { TestDatabase } from "./database.ts";
import { privacyRequests } from "../../app/domain/compliance/requests/privacy-requests.ts";
import { bulkRuns } from "../../app/domain/customers/bulk/run-row.ts";
import { webhookInbox } from "../../app/domain/customers/webhooks/webhook-inbox.ts";
import type { Database } from "../../app/runtime/database/database.ts";
import type {
  Held,
  LeasedRow,
  LeasedTable,
} from "../../app/runtime/database/queue/leased-table.ts";

export const QUEUE_SHOP = "queue-store.myshopify.com";

export type TestedQueue = {
  name: string;
  stateColumn: "state" | "status";
  waiting: string;
  running: string;
  final: string;
  table: LeasedTable<LeasedRow>;
  claim(database: Database, limit: number): Promise<Held[]>;
  /** Puts rows that are due. Returns their ids in the order in which they are claimed. */
  seed(database: TestDatabase, count: number): Promise<string[]>;
};

async function claimFrom(
  table: LeasedTable<LeasedRow>,
  database: Database,
  limit: number,
): Promise<Held[]> {
  const rows = await table.claim(database, limit);
  return rows.map(({ shop, id, attempt_token: token }) => ({ shop, id, token }));
}

const idsOf = (rows: { id: unknown }[]) => rows.map(({ id }) => String(id));

export const WORK_QUEUES: readonly TestedQueue[] = [
  {
    name: "webhook_inbox",
    stateColumn: "status",
    waiting: "pending",
    running: "processing",
    final: "done",
    table: webhookInbox,
    claim: (database, limit) => claimFrom(webhookInbox, database, limit),
    seed: async (database, count) =>
      idsOf(
        await database.query(
          `INSERT INTO webhook_inbox (shop, delivery_id, topic, body)
           SELECT $1, 'delivery ' || n, 'customers/update', '{}' FROM generate_series(1, $2) n RETURNING id`,
          [QUEUE_SHOP, count],
        ),
      ),
  },
  {
    name: "privacy_requests",
    stateColumn: "state",
    waiting: "received",
    running: "running",
    final: "done",
    table: privacyRequests,
    claim: (database, limit) => claimFrom(privacyRequests, database, limit),
    seed: async (database, count) =>
      idsOf(
        await database.query(
          `INSERT INTO privacy_requests (shop, kind, delivery_id, due_by)
           SELECT $1, 'data_request', 'delivery ' || n, now() + interval '30 days'
             FROM generate_series(1, $2) n RETURNING id`,
          [QUEUE_SHOP, count],
        ),
      ),
  },
  {
    name: "tag_runs",
    stateColumn: "state",
    waiting: "waiting",
    running: "running",
    final: "done",
    table: bulkRuns,
    claim: (database, limit) => claimFrom(bulkRuns, database, limit),
    seed: async (database, count) =>
      idsOf(
        await database.query(
          // Their ids are random: only the times of creation give them places.
          `INSERT INTO tag_runs (shop, id, add, remove, total, last_id, created_at)
           SELECT $1, gen_random_uuid(), '{vip}', '{}', 1, 1, now() + make_interval(secs => n)
             FROM generate_series(1, $2) n RETURNING id`,
          [QUEUE_SHOP, count],
        ),
      ),
  },
];
