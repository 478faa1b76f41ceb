// The access to the data. A tenant's rows are accessible only through `forTenant(shop)`, which puts
// the tenant filter into every statement or refuses it; `acrossTenants` is for the few jobs of all
// tenants, each listed in tests/architecture.test.ts.
import pg from "pg";
import { inTime } from "../deadlines/in-time.ts";
import type { Log } from "../log.ts";
import { connectionTo, DatabaseClient } from "./connection/client.ts";
import { reportDiskFull } from "./connection/disk-full.ts";
import { listen, type Listener } from "./connection/listen.ts";
import { NoPrimaryError, watchPromotions } from "./connection/servers.ts";
import { watchConnections } from "./connection/socket-watchdog.ts";
import { readReadiness, type Readiness } from "./readiness.ts";
import { withReplica } from "./replica/replica-reads.ts";
import {
  COLLECT_WAKES,
  createWakeSender,
  READ_WAKES,
  type Wake,
  type WakeSender,
} from "./wakes.ts";
import { connectionOf, openPrisma, type OpenTransaction } from "./tenant/prisma-pool.ts";
import {
  scopePrisma,
  scopeTransaction,
  type TenantPrisma,
  type TransactionPrisma,
} from "./tenant/tenant-prisma.ts";
import { tenantSql, type Naming } from "./tenant/tenant-sql.ts";

export type Row = Record<string, unknown>;

/**
 * Statements of one tenant. `$1` is always the shop; the caller's own values start at `$2`. A
 * statement with a `name` is planned once per connection: for statements of every request.
 */
export type TenantSql = <R extends Row = Row>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<R[]>;

/**
 * The arguments of a transaction's work, on one connection. A tenant's data fits too, where
 * atomicity is not needed.
 */
export type Transaction = { sql: TenantSql; prisma: TransactionPrisma };

export type TenantData = {
  shop: string;
  sql: TenantSql;
  /**
   * Single-statement reads and writes. Writes that must commit together go through `transaction`.
   */
  prisma: TenantPrisma;
  /**
   * All or nothing. `sql` and `prisma` share its connection, so that each sees the other's writes.
   * Must not contain calls to outside systems.
   */
  transaction<T>(work: (sql: TenantSql, prisma: TransactionPrisma) => Promise<T>): Promise<T>;
};

export type Database = {
  region: string;
  /** Reads may be served by a replica: see `reading`. */
  isReplica: boolean;
  forTenant(shop: string): TenantData;
  acrossTenants<R extends Row = Row>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<R[]>;
  /**
   * Calls `onNotify` for each NOTIFY on the channel, and once after every (re)connection, when
   * notifications may have been missed. Behind a pooler without a direct address never: the caller polls.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<Listener>;
  /**
   * The same database for reads that its replica may serve; they see everything that was committed
   * before the call. Itself without a replica, or while that is away or behind.
   */
  reading(): Promise<Database>;
  isReachable(): Promise<boolean>;
  readiness(): Promise<Readiness>;
  /** The database's time, in milliseconds since 1970. */
  time(): Promise<number>;
  /**
   * Runs ANALYZE after a bulk insert. Each connection caches its plans, also those of foreign key
   * checks: a plan made while the table was empty reads all of the store's rows for each check,
   * until autovacuum runs.
   */
  analyze(table: string): Promise<void>;
  close(): Promise<void>;
};

/** The shop of tenant-free keys in the key-value store, which is not a valid store domain. */
export const PLATFORM = "*";

// bigint ids are parsed as numbers: they count rows, and stay far below 2^53. Storefront ids are
// text columns.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error(`the integer ${text} is too large to count with`);
  return value;
});

const QUERY_TIMEOUT_MS = 10_000;
/** Opening a connection may take longer than a load balancer waits for the answer. */
const PROBE_TIMEOUT_MS = 2_000;
/** How long `close` waits for statements in progress. */
const CLOSE_WITHIN_MS = 2_000;

export type DatabaseOptions = {
  url: string;
  /** The address past any pooler, for notifications. */
  directUrl?: string | undefined;
  /** A standby that may serve reads. */
  replicaUrl?: string | undefined;
  region: string;
  poolSize: number;
  log: Log;
};

const CONNECTION = {
  application_name: "customer-identity-service",
  connectionTimeoutMillis: 5_000,
};

export function openDatabase(options: DatabaseOptions): Database {
  const { url, directUrl, replicaUrl, region, poolSize, log } = options;
  const promotions = watchPromotions([url, directUrl], (server) =>
    log.warn("database.former_primary", {
      region,
      server,
      reason: "another server was promoted: this one gets no statements, stop it",
    }),
  );
  const { pool, watch, naming } = openPool(options);
  const prisma = openPrisma(pool);
  const wakes = createWakeSender((text, values, name) =>
    pool.query({ text, values, ...naming(name) }),
  );
  let isPolling = false;

  const database: Database = {
    region,
    isReplica: false,
    forTenant: (shop) => ({
      shop,
      sql: tenantSql(shop, () => pool, naming),
      // Created on demand: most callers only need `sql`.
      get prisma() {
        return scopePrisma(prisma, shop);
      },
      transaction: (work) =>
        inTransaction(pool, wakes, (transaction) =>
          work(
            tenantSql(shop, () => connectionOf(transaction), naming),
            scopeTransaction(prisma, shop, transaction),
          ),
        ),
    }),
    async acrossTenants<R extends Row>(
      text: string,
      values: readonly unknown[] = [],
      name?: string,
    ) {
      return (await pool.query<R>({ text, values: [...values], ...naming(name) })).rows;
    },
    listen: (channel, onNotify) =>
      listen({
        url,
        directUrl,
        connection: CONNECTION,
        channel,
        onNotify,
        onLost: (error) => log.warn("database.listener_lost", { region, reason: error.message }),
        onUnavailable() {
          if (!isPolling)
            log.warn("database.polling", {
              region,
              reason: "DATABASE_URL leads to a pooler and DIRECT_DATABASE_URL is not set",
            });
          isPolling = true;
        },
      }),
    ...probesOf(pool),
    async analyze(table) {
      await pool.query(`ANALYZE (SKIP_LOCKED) ${pg.escapeIdentifier(table)}`);
    },
    reading: () => Promise.resolve(database),
    async close() {
      promotions.stop();
      const cut = setTimeout(
        () => watch.dropAll(new Error("Connection terminated: it is closed here")),
        CLOSE_WITHIN_MS,
      );
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
      clearTimeout(cut);
      watch.stop();
    },
  };
  return replicaUrl === undefined
    ? database
    : withReplica(database, {
        url: replicaUrl,
        primary: pool,
        queryTimeoutMs: QUERY_TIMEOUT_MS,
        region,
        poolSize,
        log,
      });
}

function openPool({ url, region, poolSize, log }: DatabaseOptions) {
  // Besides the pool's own options those of DatabaseClient, which the pool hands on to it.
  const poolOptions = {
    ...CONNECTION,
    ...connectionTo(url),
    onDiskFull: reportDiskFull(log, region),
    onReadOnly: () => watch.dropAll(new NoPrimaryError("the database's server accepts no writes")),
    max: poolSize,
    idleTimeoutMillis: 30_000,
  };
  const pool = new pg.Pool({
    ...poolOptions,
    Client: DatabaseClient as unknown as new () => pg.ClientBase,
  });
  const watch = watchConnections(pool, QUERY_TIMEOUT_MS);
  pool.on("error", (error) =>
    log.warn("database.connection_lost", { region, reason: error.message }),
  );
  // Assumed until the first connection shows whether there is a pooler.
  let isPooled = true;
  pool.on("connect", (client) => (isPooled = (client as unknown as DatabaseClient).isPooled));
  const naming: Naming = (name) => (name && !isPooled ? { name } : {});
  return { pool, watch, naming };
}

function probesOf(pool: pg.Pool): Pick<Database, "isReachable" | "readiness" | "time"> {
  // The types lack the timeout of a single query, the library supports it.
  const probe = async (text: string) =>
    (await pool.query<Row>({ text, query_timeout: PROBE_TIMEOUT_MS } as pg.QueryConfig)).rows;
  const answers = () =>
    probe("SELECT 1").then(
      () => true,
      () => false,
    );
  return {
    isReachable: () => inTime(answers(), PROBE_TIMEOUT_MS, () => false),
    readiness: () =>
      inTime(readReadiness(probe), PROBE_TIMEOUT_MS, () => ({
        database: "unreachable",
        migrations: "unknown",
      })),
    async time() {
      const [row] = await probe("SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds");
      return Number(row?.seconds) * 1_000;
    },
  };
}

/**
 * An open transaction holds back the vacuum horizon, and each dead row slows down the queue's claim.
 * Local to the transaction: behind a pooler the session is another one for the next.
 */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 30000; ${COLLECT_WAKES}`;
const COMMIT = `${READ_WAKES}; COMMIT`;

async function inTransaction<T>(
  pool: pg.Pool,
  wakes: WakeSender,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const transaction: OpenTransaction = { client };
  let broken: Error | undefined;
  try {
    await client.query(BEGIN);
    const result = await work(transaction);
    transaction.client = null;
    // Several statements in one message have several results.
    const [collected] = (await client.query(COMMIT)) as unknown as pg.QueryResult<{
      wakes: string;
    }>[];
    wakes.send(JSON.parse(collected?.rows[0]?.wakes ?? "[]") as Wake[]);
    return result;
  } catch (error) {
    transaction.client = null;
    await client.query("ROLLBACK").catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
