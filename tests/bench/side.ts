// One side of a comparison: its own database, sandbox and server process, with one configured store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import { startSandbox, type Sandbox } from "../../app/sandbox/server.ts";
import { startServer, type Child } from "../support/processes/child.ts";
import { ADMIN_KEY, APP_SECRET, CLIENT_ID, SHOP, testEnvironment } from "../support/service.ts";

export type Measure = {
  name: string;
  value: number;
  bound: string;
  floor: (value: number) => boolean;
};

export type Side = {
  sandbox: Sandbox;
  url: string;
  archive: string;
  server: Child & { url: string };
  db: pg.Pool;
};

/** For a further process of the same side. */
export const sideEnvironment = ({
  sandbox,
  url,
  archive,
}: Pick<Side, "sandbox" | "url" | "archive">): Record<string, string> => ({
  ...testEnvironment(sandbox, url),
  ARCHIVE_URL: `file:${archive}`,
  BASE_URL: "https://service.example",
  DATABASE_POOL: "16",
});

export async function startSide(serverUrl: string, name: string, roles: string): Promise<Side> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = serverUrl.replace(/\/[^/]+$/, `/${name}`);
  await applyMigrations(url);
  const sandbox = await startSandbox({
    app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET },
  });
  const archive = mkdtempSync(join(tmpdir(), "customer-identity-bench-archive-"));
  const server = await startServer({ ...sideEnvironment({ sandbox, url, archive }), ROLES: roles });
  const fields = {
    cms_api_token: "cms-token-0123456789",
    cms_customers_collection_id: sandbox.cms.customersCollectionId,
    analytics_measurement_id: "G-BENCH1",
    analytics_api_secret: "analytics-secret-012345",
    profile_platform_enabled: true,
    profile_platform_url: sandbox.addresses.profilePlatformUrl,
  };
  const answer = await fetch(`${server.url}/config?shop=${SHOP}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify(fields),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  const db = new pg.Pool({ connectionString: url, max: 2 });
  db.on("error", () => {});
  return { sandbox, url, archive, server, db };
}

export async function stopSide({ sandbox, archive, server, db }: Side): Promise<void> {
  server.signal("SIGKILL");
  await server.ended;
  await sandbox.stop();
  await db.end();
  rmSync(archive, { recursive: true, force: true });
}
