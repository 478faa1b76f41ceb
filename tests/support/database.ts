// A database per test file: a file copy of the migrated template, made in some 20 ms.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
// For the type of inject("databaseServer").
import type {} from "./global-setup.ts";
import {
  startTransactionPooler,
  type TransactionPooler,
} from "./processes/pooler/transaction-pooler.ts";

export interface TestDatabase {
  /** Connects as the superuser: for test data, checks and damage. */
  url: string;
  /** Connects as the service's role; with TEST_POOLER=1 through a pooler in transaction mode. */
  serviceUrl: string;
  /** The same past any pooler. */
  directServiceUrl: string;
  /** Returns the rows of one statement, on the helper's own pool. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test names the columns it reads
  query<Row extends pg.QueryResultRow = any>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Empties every table except the record of migrations and restarts the sequences. */
  truncate(): Promise<void>;
  /** Terminates every connection, also those of the code under test, and drops the database. */
  drop(): Promise<void>;
}

const SMALL_TABLE_BYTES = 1024 * 1024;
const MAX_LOCK_ATTEMPTS = 100;

export function freshDatabase(): Promise<TestDatabase> {
  return create(inject("databaseServer").template);
}

/** A database without tables, for tests of the migrations themselves. */
export function emptyDatabase(): Promise<TestDatabase> {
  return create("template0");
}

async function create(template: string): Promise<TestDatabase> {
  const server = inject("databaseServer");
  const name = `w${process.env.VITEST_POOL_ID ?? "0"}_${randomBytes(6).toString("hex")}`;
  await onServer(server.url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = server.url.replace(/\/postgres$/, `/${name}`);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {});
  const serviceUrl = Object.assign(new URL(url), server.service).href;
  const pooler = await findPooler(server.url);
  return {
    url,
    serviceUrl: pooler?.urlOf(serviceUrl) ?? serviceUrl,
    directServiceUrl: serviceUrl,
    query: async (sql, params) => (await pool.query(sql, params)).rows,
    truncate: async () => void (await pool.query(truncateEverything)),
    drop: async () => {
      await pool.end();
      await onServer(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      if (pooler && pooler.faults.length > 0)
        throw new Error(`Not fit for a pooler:\n${pooler.faults.splice(0).join("\n")}`);
    },
  };
}

let opened: Promise<TransactionPooler> | undefined;

/** One for all databases of this process; it lives as long as the process. */
async function findPooler(serverUrl: string): Promise<TransactionPooler | null> {
  if (!process.env.TEST_POOLER) return null;
  return (opened ??= startTransactionPooler(serverUrl));
}

// session_replication_role disables the triggers that forbid emptying an append-only table; the
// copy's owner may do that. A table that never held a row has no page and is passed over. DELETE instead
// of TRUNCATE for a small one, because TRUNCATE creates a new file for every table and index.
//
// A worker's transaction of the previous test may hold tables in another order. The lock gives up before the server
// looks for a deadlock (after a second), lets go of every table, and tries again.
const truncateEverything = `DO $$
DECLARE
  tables oid[];
  one regclass;
  lock_tables text;
BEGIN
  SELECT array_agg(oid ORDER BY relname) INTO tables FROM pg_class
  WHERE relkind IN ('r', 'p') AND relname <> '_prisma_migrations'
    AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace);
  IF tables IS NULL THEN RETURN; END IF;
  SET LOCAL session_replication_role = replica;
  SET LOCAL lock_timeout = '200ms';
  lock_tables := 'LOCK TABLE ' || array_to_string(tables::regclass[], ', ') || ' IN ACCESS EXCLUSIVE MODE';
  FOR tries IN 1..${MAX_LOCK_ATTEMPTS} LOOP
    BEGIN
      EXECUTE lock_tables;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      IF tries = ${MAX_LOCK_ATTEMPTS} THEN RAISE; END IF;
    END;
  END LOOP;
  FOREACH one IN ARRAY tables LOOP
    CASE
      WHEN pg_relation_size(one) = 0 THEN CONTINUE;
      WHEN pg_relation_size(one) < ${SMALL_TABLE_BYTES} THEN EXECUTE 'DELETE FROM ' || one;
      ELSE EXECUTE 'TRUNCATE ' || one || ' CASCADE';
    END CASE;
  END LOOP;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence
  WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
END $$`;

/** Brings the end of the keys with this prefix nearer, as if so much time had passed. */
export const letTimePass = (
  database: Pick<TestDatabase, "query">,
  prefix: string,
  seconds: number,
): Promise<unknown> =>
  database.query(
    "UPDATE kv SET expires_at = expires_at - make_interval(secs => $2) WHERE starts_with(key, $1)",
    [prefix, seconds],
  );

/** The error that the promise rejects with; null when it resolves. */
export const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => error,
  );

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
