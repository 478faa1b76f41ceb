// Starts one PostgreSQL for the whole test run and migrates one template database that every test file
// copies.
import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { systemRandom } from "../../app/runtime/clock.ts";
import { migrateDatabase } from "../../app/runtime/database/roles.ts";
import { ensureServiceRole } from "../../app/runtime/embedded-postgres/role.ts";

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

const MIN_FREE_BYTES = 3 * 1024 ** 3;

/**
 * In memory where there is room: every test file copies the template, and a disk takes seconds to
 * create its files.
 */
async function roomyFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => null);
  return memory && memory.bavail * memory.bsize > MIN_FREE_BYTES ? "/dev/shm" : "/var/tmp";
}

type Started = { server: DatabaseServer; stop(): Promise<void> };

async function startServer(): Promise<Started> {
  const folder = await mkdtemp(join(await roomyFolder(), "customer-identity-test-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  try {
    // mkdtemp creates the folder for root only; PostgreSQL's account has to traverse it.
    await chmod(folder, 0o711);
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
        max_wal_senders: "32",
      },
    });
    const stop = async () => {
      await postgres.stop();
      await remove();
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
    await remove();
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
