// The access to the data. A tenant's rows are accessible only through `forTenant(shop)`, which puts
// the tenant filter into every statement or refuses it; `acrossTenants` is for the few jobs of all
// tenants, each listed in tests/architecture.test.ts.
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "../../generated/prisma/client.ts";
import type { Log } from "../log.ts";
import { connectionOf, prismaPool, type OpenTransaction } from "./prisma-pool.ts";
import { isStoreMoving } from "./postgres-errors.ts";
import { watchSilentLines } from "./socket-watchdog.ts";
import {
  scopePrisma,
  scopeTransaction,
  type TenantPrisma,
  type TransactionPrisma,
} from "./tenant-prisma.ts";

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
  forTenant(shop: string): TenantData;
  acrossTenants<R extends Row = Row>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<R[]>;
  /**
   * Calls `onNotify` for each NOTIFY on the channel, and once after every (re)connection, when
   * notifications may have been missed.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<{ stop(): Promise<void> }>;
  isReachable(): Promise<boolean>;
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

const FILTER = /\bshop\s*=\s*\$1(?:\D|$)/i;
const INSERT =
  /^\s*(?:with\b[\s\S]*?\)\s*)?insert\s+into\s+\w+\s*(?:as\s+\w+\s*)?\(\s*shop\b[^)]*\)\s*(?:values\s*\(|select\b)\s*\$1(?!\d)/i;

/** Refuses a statement without a tenant. Results are cached: statements are literals and few. */
const proven = new Set<string>();
function requireTenantFilter(text: string): void {
  if (proven.has(text)) return;
  if (!INSERT.test(text) && !FILTER.test(text))
    throw new Error(
      `this statement has no tenant filter (shop = $1): ${text.trim().slice(0, 120)}`,
    );
  proven.add(text);
}

type Connection = pg.Pool | pg.PoolClient;

function tenantSql(shop: string, connection: () => Connection): TenantSql {
  return async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) => {
    requireTenantFilter(text);
    const result = await connection().query<R>({
      text,
      values: [shop, ...values],
      ...(name && { name }),
    });
    return result.rows;
  };
}

const QUERY_TIMEOUT_MS = 10_000;
const PROBE_TIMEOUT_MS = 2_000;

export type DatabaseOptions = { url: string; region: string; poolSize: number; log: Log };

export function openDatabase({ url, region, poolSize, log }: DatabaseOptions): Database {
  const connection = {
    connectionString: url,
    application_name: "customer-identity-service",
    connectionTimeoutMillis: 5_000,
    // An open transaction holds back the vacuum horizon, and each dead row slows down the queue's claim.
    options: "-c idle_in_transaction_session_timeout=30000 -c timezone=UTC",
  };
  const pool = new pg.Pool({ ...connection, max: poolSize, idleTimeoutMillis: 30_000 });
  const watch = watchSilentLines(pool, QUERY_TIMEOUT_MS);
  // Without a listener a connection that dies while idle would end the process.
  pool.on("error", (error) =>
    log.warn("database.connection_lost", { region, reason: error.message }),
  );
  // The same for one that dies while in use; the pool discards it on release.
  pool.on("connect", (client) => client.on("error", () => {}));
  const prisma = new PrismaClient({
    adapter: new PrismaPg(prismaPool(pool)),
    // Any other format includes the call's values in the message, and so personal data in the log.
    errorFormat: "minimal",
  });

  return {
    region,
    forTenant: (shop) => ({
      shop,
      sql: tenantSql(shop, () => pool),
      // Created on demand: most callers only need `sql`.
      get prisma() {
        return scopePrisma(prisma, shop);
      },
      transaction: (work) =>
        inTransaction(pool, (transaction) =>
          work(
            tenantSql(shop, () => connectionOf(transaction)),
            scopeTransaction(prisma, shop, transaction),
          ),
        ),
    }),
    async acrossTenants<R extends Row>(
      text: string,
      values: readonly unknown[] = [],
      name?: string,
    ) {
      return (await pool.query<R>({ text, values: [...values], ...(name && { name }) })).rows;
    },
    listen: (channel, onNotify) =>
      listen(connection, channel, onNotify, (error) =>
        log.warn("database.listener_lost", { region, reason: error.message }),
      ),
    async isReachable() {
      try {
        // The types lack the timeout of a single query, the library supports it.
        await pool.query({ text: "SELECT 1", query_timeout: PROBE_TIMEOUT_MS } as pg.QueryConfig);
        return true;
      } catch {
        return false;
      }
    },
    async analyze(table) {
      await pool.query(`ANALYZE (SKIP_LOCKED) ${pg.escapeIdentifier(table)}`);
    },
    async close() {
      watch.stop();
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const transaction: OpenTransaction = { client };
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(transaction);
    transaction.client = null;
    await client.query("COMMIT");
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

const RELISTEN_MS = { first: 250, longest: 8_000 };

/** A dedicated connection that reconnects after every loss until it is stopped. */
async function listen(
  connection: pg.ClientConfig,
  channel: string,
  onNotify: (payload: string) => void,
  onLost: (error: Error) => void,
) {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let wait = RELISTEN_MS.first;

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...connection, keepAlive: true });
    const lost = (error: Error) => {
      next.removeAllListeners();
      next.on("error", () => {});
      void next.end().catch(() => {});
      if (stopped || client !== next) return;
      client = undefined;
      onLost(error);
      again();
    };
    client = next;
    next.on("error", lost);
    next.on("end", () => lost(new Error("the connection ended")));
    next.on("notification", (message) => onNotify(message.payload ?? ""));
    try {
      await next.connect();
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      wait = RELISTEN_MS.first;
      onNotify("");
    } catch (error) {
      lost(error as Error);
    }
  }
  function again(): void {
    if (!stopped) retry = setTimeout(() => void connect(), wait);
    wait = Math.min(wait * 2, RELISTEN_MS.longest);
  }

  await connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}

/**
 * Whether Postgres is unreachable, or takes no writes of a store that is being moved, as opposed to
 * rejecting the statement: background work comes back later.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isStoreMoving(error)) return true;
  const { code, message, severity, meta } = (error ?? {}) as {
    code?: unknown;
    message?: unknown;
    severity?: unknown;
    meta?: { driverAdapterError?: { cause?: unknown } };
  };
  // Prisma has its own codes; the error of Postgres is inside.
  if (meta?.driverAdapterError?.cause && isDatabaseAway(meta.driverAdapterError.cause)) return true;
  // FATAL is about the connection, never about a statement.
  if (severity === "FATAL") return true;
  if (
    typeof code === "string" &&
    (/^(08|57P|53)/.test(code) ||
      [
        "ECONNREFUSED",
        "ECONNRESET",
        "EPIPE",
        "ETIMEDOUT",
        "ENOTFOUND",
        "P1001",
        "P1008",
        "P1017",
        "P2037",
      ].includes(code))
  )
    return true;
  return (
    typeof message === "string" &&
    /Connection terminated|is not queryable|Database error\. Code: `(08|57P|53)|Query read timeout|timeout exceeded when trying to connect|Can't reach database/.test(
      message,
    )
  );
}
