// One side of a comparison: a database, a sandbox and a server process of its own, with one configured store.
import pg from "pg";
import { applyMigrations } from "../../app/runtime/migrations.ts";
import { startSandbox, type Sandbox } from "../../app/sandbox/server.ts";
import { startServer, type Child } from "../support/child.ts";
import { ADMIN_KEY, APP_SECRET, CLIENT_ID, SHOP, testEnvironment } from "../support/service.ts";

export type Measure = { name: string; value: number; bound: string; floor: (value: number) => boolean };

export type Side = { sandbox: Sandbox; server: Child & { url: string }; db: pg.Pool };

export async function startSide(serverUrl: string, name: string, roles: string): Promise<Side> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = serverUrl.replace(/\/[^/]+$/, `/${name}`);
  await applyMigrations(url);
  const sandbox = await startSandbox({ app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET } });
  const server = await startServer({ ...testEnvironment(sandbox, url), BASE_URL: "https://service.example", ROLES: roles, DATABASE_POOL: "16" });
  const fields = {
    cms_api_token: "cms-token-0123456789", cms_customers_collection_id: sandbox.cms.customersCollectionId, analytics_measurement_id: "G-BENCH1", analytics_api_secret: "analytics-secret-012345",
    profile_platform_enabled: true, profile_platform_url: sandbox.addresses.profilePlatformUrl,
  };
  const answer = await fetch(`${server.url}/config?shop=${SHOP}`, { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` }, body: JSON.stringify(fields) });
  if (answer.status !== 200) throw new Error(await answer.text());
  const db = new pg.Pool({ connectionString: url, max: 2 });
  db.on("error", () => {});
  return { sandbox, server, db };
}

export async function stopSide({ sandbox, server, db }: Side): Promise<void> {
  server.signal("SIGKILL");
  await server.ended;
  await sandbox.stop();
  await db.end();
}
