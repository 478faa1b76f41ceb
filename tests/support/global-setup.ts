// Starts one PostgreSQL for the whole test run and migrates one template database that every test file
// copies. Opens the folder for everything that the run writes.
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { systemRandom } from "../../app/runtime/clock.ts";
import { migrateDatabase } from "../../app/runtime/database/roles.ts";
import { ensureServiceRole } from "../../app/runtime/embedded-postgres/role.ts";
import { openTestFolder } from "./test-folder.ts";

interface DatabaseServer {
  /** Connection string of the maintenance database; copies are made through it. */
  url: string;
  /** Name of the migrated database. Copying fails while a connection to it is open. */
  template: string;
  /** The role that the service connects with. */
  service: { username: string; password: string };
}

declare module "vitest" {
  export interface ProvidedContext {
    databaseServer: DatabaseServer;
  }
}

type Started = { server: DatabaseServer; stop(): Promise<void> };

async function startServer(): Promise<Started> {
  const { folder, remove } = openTestFolder();
  try {
    const postgres = await startEmbeddedPostgres({
      dataDir: join(folder, "pg"),
      database: "template",
      settings: {
        fsync: "off",
        synchronous_commit: "off",
        full_page_writes: "off",
        // The tests' pooler keeps connections beside those of its clients.
        max_connections: process.env.TEST_POOLER ? "600" : "300",
        // Several test files move stores at once.
        max_worker_processes: "32",
        max_logical_replication_workers: "24",
        max_sync_workers_per_subscription: "4",
        max_replication_slots: "32",
        // Each subscription has one, and each of its tables that is copied another: above it, the copy fails.
        max_active_replication_origins: "64",
        max_wal_senders: "32",
      },
    });
    const stop = async () => {
      await postgres.stop();
      remove();
    };
    try {
      // The service under test has the service's role, as a deployed one has; copies of the
      // template keep its rights.
      const serviceUrl = await ensureServiceRole(postgres.url, systemRandom);
      await migrateDatabase({ url: serviceUrl, directUrl: postgres.url });
      const { username, password } = new URL(serviceUrl);
      const url = postgres.url.replace(/\/template$/, "/postgres");
      return { server: { url, template: "template", service: { username, password } }, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** Each project loads this module for itself; the server is the process's. */
const shared = globalThis as typeof globalThis & {
  testPostgres?: { started: Promise<Started>; users: number } | undefined;
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = (shared.testPostgres ??= { started: startServer(), users: 0 });
  postgres.users += 1;
  const { server, stop } = await postgres.started;
  project.provide("databaseServer", server);
  return async () => {
    postgres.users -= 1;
    if (postgres.users > 0) return;
    shared.testPostgres = undefined;
    await stop();
  };
}
