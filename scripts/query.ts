// `npm run db -- "SELECT ..."`: one statement against DATABASE_URL, or the embedded database of a running
// service.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { clientOf } from "../app/runtime/database/connection/client.ts";

function findUrl(): string {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const file = resolve(import.meta.dirname, "..", process.env.DATA_DIR || ".data", "database.url");
  try {
    return readFileSync(file, "utf8");
  } catch {
    process.stderr.write("No database is known. Start the service first, or set DATABASE_URL.\n");
    process.exit(1);
  }
}

const client = clientOf(findUrl(), { connectionTimeoutMillis: 3_000 });
try {
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(
    process.argv.slice(2).join(" ") ||
      "SELECT 'say what to ask: npm run db -- \"SELECT ...\"' AS help",
  );
  console.table(rows);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await client.end();
}
