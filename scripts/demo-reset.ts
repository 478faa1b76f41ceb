// `npm run demo:reset`: deletes the sandbox's data, so that the next `npm start` begins with a new demo
// store. Refuses while the service runs, and where there is any store but the sandbox's own.
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { DEMO_SHOP } from "../app/demo-store.ts";
import { openObjectStore } from "../app/integrations/archive/own-archive.ts";
import { openStoreRoots } from "../app/integrations/archive/store-archive.ts";
import { shapeConfig } from "../app/runtime/config.ts";
import { startEmbeddedPostgres } from "../app/runtime/embedded-postgres/embedded-postgres.ts";
import { localSettings } from "../app/runtime/local-secrets.ts";

/** The secrets stay: addresses and keys that were copied from the terminal keep working. */
const SANDBOX_DATA = ["sandbox.json", "database.url", "retail-analytics-a"];

const root = resolve(import.meta.dirname, "..");
const dataDir = resolve(root, process.env.DATA_DIR?.trim() || ".data");

class ResetError extends Error {}

async function reset(): Promise<string> {
  if (!existsSync(join(dataDir, "sandbox.json")))
    return "There is no demo store yet. `npm start` makes one.";
  const config = shapeConfig(process.env, (mode) => localSettings(dataDir, mode));
  if (!config.isSandbox)
    throw new ResetError("This environment is not a sandbox's: nothing is deleted.");
  if (!config.isEmbedded)
    throw new ResetError(
      "The demo store is in the database of DATABASE_URL: drop that database, or use another one.",
    );
  const { stores, folder } = await lookIntoDatabase();
  const others = stores.filter((shop) => shop !== DEMO_SHOP);
  if (others.length > 0)
    throw new ResetError(
      `The database has other stores (${others.join(", ")}): nothing is deleted.`,
    );
  // With the signed checkpoints of its consent log, which a new log would contradict.
  await openStoreRoots(openObjectStore(config.ARCHIVE_URL, root)).ofStore(DEMO_SHOP).removeAll();
  for (const path of [folder, ...SANDBOX_DATA.map((name) => join(dataDir, name))])
    rmSync(path, { recursive: true, force: true });
  return "The demo store is deleted. `npm start` makes a new one.";
}

/** Fails while the service runs: only one process at a time opens the folder. */
async function lookIntoDatabase(): Promise<{ stores: string[]; folder: string }> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, "pg"),
    database: "customer_identity",
  });
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await client.connect();
    const { rows } = await client
      .query<{ shop: string }>("SELECT shop FROM kv WHERE key = 'tenant:' || shop ORDER BY shop")
      .catch((error: unknown) => {
        // A first start that was interrupted before its migrations.
        if ((error as { code?: string }).code === "42P01") return { rows: [] };
        throw error;
      });
    return { stores: rows.map(({ shop }) => shop), folder: postgres.dataDir };
  } finally {
    await client.end();
    await postgres.stop();
  }
}

await reset().then(
  (done) => process.stdout.write(`${done}\n`),
  (error: unknown) => {
    const { name, message, stack } = error as Error;
    const isExplained =
      error instanceof ResetError || ["ConfigError", "EmbeddedPostgresError"].includes(name);
    process.stderr.write(`${isExplained ? message : stack}\n`);
    process.exitCode = 1;
  },
);
