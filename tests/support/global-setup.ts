// Starts one PostgreSQL for the whole test run and migrates one template database that every test file copies.
import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres.ts";
import { systemRandom } from "../../app/runtime/clock.ts";
import { migrateDatabase } from "../../app/runtime/database-roles.ts";
import { ensureServiceRole } from "../../app/runtime/embedded-postgres-role.ts";

interface DatabaseServer {
  /** Connection string of the maintenance database; copies are made through it. */
  url: string;
  /** Name of the migrated database. Nobody connects to it, or copying it fails. */
  template: string;
  /** Whom the service connects as. */
  service: { username: string; password: string };
}

declare module "vitest" {
  export interface ProvidedContext {
    databaseServer: DatabaseServer;
  }
}

const ENOUGH_BYTES = 3 * 1024 ** 3;

/** In memory where there is room: every test file copies the template, and a disk spends seconds on making its files. */
async function roomyFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => null);
  return memory && memory.bavail * memory.bsize > ENOUGH_BYTES ? "/dev/shm" : "/var/tmp";
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await roomyFolder(), "customer-identity-test-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  try {
    // mkdtemp makes the folder root's alone; PostgreSQL's account has to pass through it.
    await chmod(folder, 0o711);
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, "pg"),
      database: "template",
      settings: {
        fsync: "off",
        synchronous_commit: "off",
        full_page_writes: "off",
        max_connections: "200",
      },
    });
    const teardown = async () => {
      await server.stop();
      await remove();
    };
    try {
      // The service under test has the service's role, as a deployed one has; copies of the template keep its rights.
      const serviceUrl = await ensureServiceRole(server.url, systemRandom);
      await migrateDatabase({ url: serviceUrl, directUrl: server.url });
      const { username, password } = new URL(serviceUrl);
      project.provide("databaseServer", {
        url: server.url.replace(/\/template$/, "/postgres"),
        template: "template",
        service: { username, password },
      });
      return teardown;
    } catch (error) {
      await teardown();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}
