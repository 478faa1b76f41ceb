// The connection that migrates, and the lock under which one process at a time does.
import type pg from "pg";
import { clientOf } from "../connection/client.ts";
import { isOutOfConnections, OUT_OF_CONNECTIONS } from "../postgres-errors.ts";
import { describe, explain, MigrationError } from "./migration-error.ts";

/** The advisory lock of Prisma's own engine. */
const PRISMA_LOCK_KEY = 72707369;

/**
 * One transaction under the migration lock. The lock ends with the transaction, also behind a
 * pooler, where a session's lock would stay on a shared connection.
 */
export async function inMigrationLock<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withMigrationClient(databaseUrl, "DIRECT_DATABASE_URL", (client) => inLock(client, work));
}

/** Throws MigrationErrors only. */
export async function withMigrationClient<T>(
  databaseUrl: string,
  setting: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  let client: pg.Client;
  try {
    // Reads the certificates that the address names.
    client = clientOf(databaseUrl, { application_name: "migrations" });
    await client.connect();
  } catch (error) {
    throw new MigrationError(
      `The database cannot be reached (${describe(error)}); ${isOutOfConnections(error) ? OUT_OF_CONNECTIONS : `check ${setting} and that the server runs`}.`,
      { cause: error },
    );
  }
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(`The migrations cannot be applied: ${explain(error, setting)}.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

export async function inLock<T>(
  client: pg.Client,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  await client.query("BEGIN");
  try {
    // The connection string's timeouts are meant for requests: a migration, or waiting for one,
    // takes longer.
    await client.query(
      "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
    );
    await client.query("SELECT pg_advisory_xact_lock($1)", [PRISMA_LOCK_KEY]);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
