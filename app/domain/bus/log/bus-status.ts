// The state of the bus for one store (SPEC "GET /admin/events/status"). `delivered` counts what the
// queue and the log call so, also where nothing had to be sent: screens count that apart as skipped.
// A day is 1,440 minute rows per channel; pending and dead rows are counted on partial indexes, so
// delivered history costs nothing.
import type { Ctx } from "../../../context.server.ts";
import type {
  ChannelMinute,
  Columns,
  IntegrationQueue,
  Kv,
  TenantSql,
} from "../../../db.server.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { DEAD_SINCE, IS_DEAD } from "../outcome.ts";

type ChannelStatus = {
  circuit: "closed" | "open";
  last_24h: { delivered: number; failed: number; pending: number };
};
export type BusStatus = {
  channels: Record<string, ChannelStatus>;
  dead_letter: { count: number; oldest: string | null };
  throughput: { events_per_minute: number; avg_latency_ms: number };
  /** Only channels that have a waiting row or an open circuit. */
  waiting: Record<string, { next_attempt_at: string | null; circuit_open_until: string | null }>;
};

/** The rate of the last hour. */
const RATE_MINUTES = 60;

type Day = Columns<ChannelMinute, "channel"> & { delivered: number; failed: number };
type Waiting = Columns<IntegrationQueue, "channel" | "next_attempt_at"> & { count: number };
type Rate = { delivered: number; attempts: number; latency_ms: number };

export async function readBusStatus(ctx: Ctx, tenant: Tenant): Promise<BusStatus> {
  const { sql } = dataOf(ctx, tenant);
  const [days, waiting, dead, rate] = await Promise.all([
    readDays(sql),
    readWaiting(sql),
    readDeadLetters(sql),
    readRate(sql),
  ]);
  const known = [
    ...ctx.channels.map(({ name }) => name),
    ...days.map(({ channel }) => channel),
    ...waiting.map(({ channel }) => channel),
  ];
  const names = [...new Set(known)].sort();
  const openUntil = await readOpenCircuits(sql, names);
  const waitingOf = (name: string) => waiting.filter(({ channel }) => channel === name);

  function statusOf(name: string): ChannelStatus {
    const day = days.find(({ channel }) => channel === name);
    const pending = waitingOf(name).reduce((sum, { count }) => sum + count, 0);
    return {
      circuit: openUntil.has(name) ? "open" : "closed",
      last_24h: { delivered: day?.delivered ?? 0, failed: day?.failed ?? 0, pending },
    };
  }
  function nextTimesOf(name: string) {
    const dues = waitingOf(name).map((row) => row.next_attempt_at);
    return {
      next_attempt_at: dues.toSorted((a, b) => a.getTime() - b.getTime())[0]?.toISOString() ?? null,
      circuit_open_until: openUntil.get(name)?.toISOString() ?? null,
    };
  }
  const isWaiting = (name: string) => openUntil.has(name) || waitingOf(name).length > 0;
  return {
    channels: Object.fromEntries(names.map((name) => [name, statusOf(name)])),
    dead_letter: {
      count: dead?.count ?? 0,
      oldest: dead?.oldest?.toISOString() ?? null,
    },
    throughput: {
      events_per_minute: round((rate?.delivered ?? 0) / RATE_MINUTES),
      avg_latency_ms: round((rate?.latency_ms ?? 0) / Math.max(1, rate?.attempts ?? 0)),
    },
    waiting: Object.fromEntries(names.filter(isWaiting).map((name) => [name, nextTimesOf(name)])),
  };
}

const readDays = (sql: TenantSql): Promise<Day[]> =>
  sql<Day>(
    `SELECT channel, sum(delivered + skipped)::int AS delivered, sum(failed)::int AS failed
      FROM channel_minutes WHERE shop = $1 AND minute > clock_timestamp() - interval '24 hours' GROUP BY channel`,
  );

/** Each channel has up to two rows: each half is the predicate of a partial index. */
function readWaiting(sql: TenantSql): Promise<Waiting[]> {
  const waitingIn = (states: string) =>
    `SELECT channel, count(*)::int AS count, min(next_attempt_at) AS next_attempt_at
      FROM integration_queue WHERE shop = $1 AND status ${states} GROUP BY channel`;
  return sql<Waiting>(
    `${waitingIn("= 'pending'")} UNION ALL ${waitingIn("IN ('processing', 'ready')")}`,
  );
}

async function readDeadLetters(
  sql: TenantSql,
): Promise<{ count: number; oldest: Date | null } | undefined> {
  const [dead] = await sql<{ count: number; oldest: Date | null }>(
    `SELECT count(*)::int AS count, min(${DEAD_SINCE}) AS oldest FROM integration_queue
      WHERE shop = $1 AND ${IS_DEAD}`,
  );
  return dead;
}

async function readRate(sql: TenantSql): Promise<Rate | undefined> {
  const [rate] = await sql<Rate>(
    `SELECT coalesce(sum(delivered + skipped), 0)::int AS delivered, coalesce(sum(delivered + failed),
      0)::int AS attempts, coalesce(sum(latency_ms_sum), 0)::float8 AS latency_ms
      FROM channel_minutes WHERE shop = $1 AND minute > clock_timestamp() - interval '${RATE_MINUTES} minutes'`,
  );
  return rate;
}

/** The end of each open circuit, by channel. */
async function readOpenCircuits(
  sql: TenantSql,
  names: readonly string[],
): Promise<Map<string, Date>> {
  const keys = new Map(names.map((name) => [KEYS.circuit(name) as string, name]));
  const open = await sql<Columns<Kv, "key"> & { open_until: Date }>(
    `SELECT key, (value->>'open_until')::timestamptz AS open_until FROM kv
      WHERE shop = $1 AND key = ANY($2::text[])
      AND (value->>'open_until')::timestamptz > clock_timestamp()`,
    [[...keys.keys()]],
  );
  return new Map(open.map(({ key, open_until: until }) => [keys.get(key) ?? key, until]));
}

const round = (value: number) => Math.round(value * 100) / 100;
