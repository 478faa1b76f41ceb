// The real PgBouncer in transaction mode, where a program of that name is in PATH.
import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "../../service.ts";
import { freePort } from "../free-port.ts";

export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0;

export type PgBouncer = { urlOf(directUrl: string): string; stop(): Promise<void> };

/** For the users of these addresses, whose passwords it has to know. */
export async function startPgBouncer(urls: readonly string[]): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), "customer-identity-pgbouncer-"));
  const { hostname, port } = new URL(urls[0]!);
  const own = await freePort();
  await writeFile(
    join(folder, "users.txt"),
    urls
      .map((url) => new URL(url))
      .map(({ username, password }) => `"${username}" "${password}"\n`)
      .join(""),
  );
  const config = join(folder, "pgbouncer.ini");
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
server_round_robin = 1
`,
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("pgbouncer", ["-q", ...account, config], { stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const urlOf = (directUrl: string) => Object.assign(new URL(directUrl), { port: own }).href;
  await eventually("PgBouncer", async () => {
    const client = new pg.Client({ connectionString: urlOf(urls[0]!) });
    client.on("error", () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
  return {
    urlOf,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
