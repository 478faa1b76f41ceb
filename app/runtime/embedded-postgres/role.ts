// The role that the service has in the embedded database: not the superuser, so that this start is
// like a deployed one.
import pg from "pg";
import type { Random } from "../clock.ts";

const SERVICE_ROLE = "customer_identity_service";
/** Two processes that start at once would change one row of the catalog. */
const ROLE_LOCK = 72_707_370;

/**
 * Makes the role, with a new password for this start. @returns the database's address as that role.
 */
export async function ensureServiceRole(superuserUrl: string, random: Random): Promise<string> {
  const password = random.bytes(24).toString("hex");
  const client = new pg.Client({ connectionString: superuserUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [ROLE_LOCK]);
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [
      SERVICE_ROLE,
    ]);
    // Utility statements take no parameters; the password is hexadecimal.
    await client.query(
      `${rowCount === 0 ? "CREATE" : "ALTER"} ROLE ${SERVICE_ROLE} LOGIN PASSWORD '${password}'`,
    );
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  [url.username, url.password] = [SERVICE_ROLE, password];
  return url.href;
}
