// `npm run db:migrate`: migrates every configured database as its owner (DIRECT_DATABASE_URL, else
// DATABASE_URL), and grants the service's role (DATABASE_URL) its rights. For deployments whose service never
// has the owner's address.
import { migrateDatabase } from "../app/runtime/database/roles.ts";
import { createLog } from "../app/runtime/log.ts";

const log = createLog("warn");
const ADDRESS = /^DATABASE_URL(_[A-Z0-9_]+)?$/;

const addresses = Object.entries(process.env).filter(
  (entry): entry is [string, string] => ADDRESS.test(entry[0]) && Boolean(entry[1]?.trim()),
);
if (addresses.length === 0) {
  process.stderr.write("Set DATABASE_URL, and DIRECT_DATABASE_URL when another role owns it.\n");
  process.exit(1);
}
for (const [name, url] of addresses)
  try {
    const directUrl = process.env[`DIRECT_${name}`]?.trim() || undefined;
    const { applied, serviceRole, isRestricted } = await migrateDatabase({
      url,
      directUrl,
      warn: (event, fields) => log.warn(event, { setting: name, ...fields }),
    });
    process.stdout.write(
      `${name}: ${applied.length > 0 ? `applied ${applied.join(", ")}` : "up to date"}; the service connects as ${serviceRole}, ${
        isRestricted ? "which cannot change the schema" : "which can change the schema"
      }\n`,
    );
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
