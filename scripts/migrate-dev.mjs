// Writes the next migration from the difference between prisma/schema.prisma and the migrations:
//   node scripts/migrate-dev.mjs add_consent_table     writes prisma/migrations/<timestamp>_add_consent_table
//   node scripts/migrate-dev.mjs --check               exits 1 and prints the SQL when the two differ
// It applies the migrations to a throwaway database with production's runner and lets Prisma's engine compare
// that database with the schema. The engine ignores what the schema language cannot express: partial and
// expression indexes, CHECKs, triggers, functions, views, storage settings. Such SQL is written by hand into
// a migration and is never reported (tests/runtime/schema-drift.test.ts checks this). It does compare, and
// would drop, an index with INCLUDE, NULLS FIRST or NULLS NOT DISTINCT: declare that one in the schema too,
// with its name in `map`.
import {
  mkdirSync,
  mkdtempSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import { startEmbeddedPostgres } from "../app/runtime/embedded-postgres/embedded-postgres.ts";
import { applyMigrations } from "../app/runtime/database/migrations/apply-migrations.ts";

/**
 * adapter-pg does not know the type "char" (18) of the system catalogs, and the engine accepts it as
 * Character only.
 */
class CatalogReader extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    const { queryRaw: readRows } = Object.getPrototypeOf(adapter);
    adapter.queryRaw = async (query) => {
      let isChar = [];
      const performIO = async (statement) => {
        const answer = await adapter.performIO(statement);
        isChar = answer.fields.map((field) => field.dataTypeID === 18);
        return {
          ...answer,
          fields: answer.fields.map((field, at) => ({
            name: field.name,
            dataTypeID: isChar[at] ? 25 : field.dataTypeID,
          })),
        };
      };
      const result = await readRows.call(
        Object.assign(Object.create(adapter), { performIO }),
        query,
      );
      return {
        ...result,
        columnTypes: result.columnTypes.map((type, at) =>
          isChar[at] ? ColumnTypeEnum.Character : type,
        ),
      };
    };
    return adapter;
  }
}

const project = resolve(import.meta.dirname, "..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    schema: { type: "string", default: join(project, "prisma/schema.prisma") },
    migrations: { type: "string", default: join(project, "prisma/migrations") },
  },
});
const name = positionals[0] ?? "";
if (!options.check && !/^[a-z0-9_]+$/.test(name)) {
  fail(
    "Say what the migration does, in small letters, digits and underscores: npm run db:diff add_consent_table (or --check).",
  );
}

const folder = mkdtempSync("/var/tmp/customer-identity-migrate-");
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
chmodSync(folder, 0o711); // the account that runs PostgreSQL has to traverse it
try {
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "pg"),
    database: "migrated",
    settings: { fsync: "off" },
  });
  await applyMigrations(server.url, { folder: resolve(options.migrations) });
  const sql = await diff(server.url, readFileSync(options.schema, "utf8"));
  await server.stop();
  report(sql);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
process.exit(0); // the engine keeps the event loop alive

function report(sql) {
  if (sql === null) return console.log("The migrations match the schema.");
  if (options.check)
    fail(`The schema has changes that no migration makes; run: npm run db:diff <name>\n\n${sql}`);
  const path = join(resolve(options.migrations), `${nextTimestamp()}_${name}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "migration.sql"), sql);
  console.log(`Wrote ${path}/migration.sql`);
}

/** UTC now as 20261121093000, but always after the last migration: names define the order. */
function nextTimestamp() {
  let names = [];
  try {
    names = readdirSync(resolve(options.migrations))
      .filter((entry) => /^\d{14}_/.test(entry))
      .sort();
  } catch {
    // The first migration creates the folder.
  }
  const last = Number((names.at(-1) ?? "0").slice(0, 14));
  const now = Number(new Date().toISOString().replace(/\D/g, "").slice(0, 14));
  return String(Math.max(now, last + 1));
}

/** The SQL that turns the database into the schema, or null when they are equal. */
async function diff(url, schema) {
  const engineModule = await loadEngine();
  const files = [{ path: "schema.prisma", content: schema }];
  const adapter = bindMigrationAwareSqlAdapterFactory(new CatalogReader({ connectionString: url }));
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [["schema.prisma", schema]] },
    () => {},
    adapter,
  );
  const result = await engine.diff({
    from: { tag: "schemaDatasource", configDir: "/", files }, // the database behind the adapter
    to: { tag: "schemaDatamodel", files },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  return result.exitCode === 0 ? null : result.stdout;
}

/**
 * The package's own entry imports the .wasm file as a module, which Node does not support by default. Once
 * per process.
 */
async function loadEngine() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
  const path = createRequire(import.meta.url).resolve(
    "@prisma/schema-engine-wasm/schema_engine_bg",
  );
  const engineModule = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const binary = readFileSync(path.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(binary, {
    "./schema_engine_bg.js": engineModule,
  });
  engineModule.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return engineModule;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
