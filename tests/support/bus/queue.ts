// Queue rows for tests: a database only, rows in bulk, people that rows refer to, and a channel with a
// scripted receiver.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  claim,
  type ChannelClaim,
  type ClaimedItem,
} from "../../../app/domain/bus/claims/claim.ts";
import type { Channel } from "../../../app/domain/bus/channel.ts";
import { maxRetries } from "../../../app/domain/bus/retry-policy.ts";
import { openDatabase, type Database } from "../../../app/runtime/database/database.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { parseAnswer } from "../../../app/runtime/outbound/answers.ts";
import { freshDatabase, type TestDatabase } from "../database.ts";

export type QueueDatabase = { test: TestDatabase; database: Database; stop(): Promise<void> };

export async function openQueueDatabase(): Promise<QueueDatabase> {
  const test = await freshDatabase();
  const database = openDatabase({
    url: test.url,
    region: "default",
    poolSize: 12,
    log: createLog("silent"),
  });
  return {
    test,
    database,
    async stop() {
      await database.close();
      await test.drop();
    },
  };
}

export type RowOptions = {
  shop: string;
  channel?: string;
  count?: number;
  priority?: number;
  dueInSeconds?: number;
  payload?: Record<string, unknown>;
  entityType?: string;
};

/** Inserts rows as another program would; returns their ids, lowest first. */
export async function addRows(test: TestDatabase, options: RowOptions): Promise<number[]> {
  const {
    shop,
    channel = "cms",
    count = 1,
    priority = 3,
    dueInSeconds = 0,
    payload = { user_id: 1 },
    entityType = "customer",
  } = options;
  const rows = await test.query<{ id: string | number }>(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, priority, max_retries, next_attempt_at)
     SELECT $1, gen_random_uuid()::text, $2, 'manual', 'customer.updated', $7, '1', $3::jsonb, $4,
       $8, clock_timestamp() + make_interval(secs => $6)
     FROM generate_series(1, $5::int) RETURNING id`,
    [
      shop,
      channel,
      JSON.stringify(payload),
      priority,
      count,
      dueInSeconds,
      entityType,
      maxRetries(priority),
    ],
  );
  return rows.map((row) => Number(row.id)).sort((a, b) => a - b);
}

/** Opens a tenant channel's circuit, as five failures would. */
export async function openCircuit(
  test: TestDatabase,
  shop: string,
  channel: string,
): Promise<void> {
  await test.query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, $2, jsonb_build_object('failures', 5,
      'last_failure', clock_timestamp(), 'open_until', clock_timestamp() + interval '5 minutes',
      'recent', '[]'::jsonb))
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value`,
    [shop, `circuit:${channel}`],
  );
}

/** Moves every circuit's time into the past and makes its rows due. */
export async function letCircuitsClose(test: TestDatabase): Promise<void> {
  await test.query(
    `UPDATE kv SET value = jsonb_set(value, '{open_until}',
      to_jsonb(clock_timestamp() - interval '1 second')) WHERE key LIKE 'circuit:%'
      AND value->>'open_until' IS NOT NULL`,
  );
  await letRetriesComeDue(test);
}

/** Makes the pending rows due, all or one event's, and wakes the workers, which poll every second only. */
export async function letRetriesComeDue(test: TestDatabase, eventId?: string): Promise<void> {
  await test.query(
    `WITH due AS (
       UPDATE integration_queue SET next_attempt_at = clock_timestamp()
       WHERE status = 'pending' AND ($1::text IS NULL OR event_id = $1) RETURNING channel
     )
     SELECT pg_notify('integration_queue', channel) FROM (SELECT DISTINCT channel FROM due) AS c`,
    [eventId ?? null],
  );
}

/** Claims of one channel as a worker does, until rows were found or nothing is left to read. */
export async function claimAll(
  database: Database,
  options: { channel?: string; limit?: number; fromShop?: string; worker?: string } = {},
): Promise<ClaimedItem[]> {
  const { channel = "cms", limit = 32, fromShop = "", worker = "test-worker" } = options;
  let wanted: ChannelClaim[] = [{ channel, limit, fromShop, limits: new Map(), perShop: limit }];
  for (;;) {
    const { items, remaining } = await claim(database, worker, wanted);
    if (remaining.length === 0) return items;
    wanted = remaining;
  }
}

export async function addCustomer(
  test: TestDatabase,
  shop: string,
  fields: {
    email?: string | null;
    firstName?: string;
    tags?: string[];
    cookie?: boolean;
    marketing?: boolean;
    status?: string;
  } = {},
): Promise<number> {
  const {
    email = "ann@example.com",
    firstName = "Ann",
    tags = [],
    cookie = false,
    marketing = false,
    status = "active",
  } = fields;
  const [user] = await test.query<{ id: number }>(
    `INSERT INTO storefront_users (shop, email, first_name, last_name, full_name, provider, tags,
      status) VALUES ($1, $2, $3, 'Example', $3 || ' Example', 'storefront', $4, $5) RETURNING id`,
    [shop, email, firstName, JSON.stringify(tags), status],
  );
  const id = user?.id as number;
  await test.query(
    "INSERT INTO user_claims (shop, user_id, consent_cookie, consent_marketing) VALUES ($1, $2, $3, $4)",
    [shop, id, cookie, marketing],
  );
  return id;
}

export type Scripted = {
  url: string;
  received: { queueId: number; at: number }[];
  answer(with_: (request: IncomingMessage, response: ServerResponse, count: number) => void): void;
  stop(): Promise<void>;
};

/** A receiver that a test scripts; it answers 200 by default. */
export async function startReceiver(): Promise<Scripted> {
  const received: Scripted["received"] = [];
  let act: Parameters<Scripted["answer"]>[0] = (_request, response) => void response.end("{}");
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    request.resume().once("end", () => {
      received.push({ queueId: Number(request.headers["x-queue-id"]), at: performance.now() });
      act(request, response, received.length);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (with_) => void (act = with_),
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A channel that posts to a receiver; a payload with `poison` cannot be transformed. */
export function channelTo(name: string, url: string, timeoutMs = 15_000): Channel {
  return {
    name,
    needs: [],
    credentialsKey: null,
    marketing: false,
    requiresConsent: null,
    isDestination: true,
    isEnabled: () => true,
    transform: (_ctx, _tenant, item) => {
      if (item.payload.poison) return Promise.reject(new TypeError("this payload cannot be read"));
      return Promise.resolve({
        transformed_payload: { n: item.queueId },
        delivery_config: { method: "POST", endpoint: url, credentials_key: null },
      });
    },
    async deliver(ctx, _tenant, item, message) {
      const answer = await ctx.outbound.call({
        system: name,
        url,
        method: "POST",
        headers: { "x-queue-id": String(item.queueId) },
        body: JSON.stringify(message.transformed_payload),
        timeoutMs,
      });
      parseAnswer(name, answer);
      return { httpStatus: answer.status };
    },
  };
}
