// A primary and its standby by streaming replication, both from the embedded programs. These have no
// pg_basebackup: the base backup is pg_backup_start, a copy of the files, pg_backup_stop.
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { eventually } from "../service.ts";
import { killServer, newFolder, removeFolder, rows } from "../processes/embedded-postgres.ts";

const STANDBY = "standby";

export type ReplicatedPostgres = {
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  /** Both servers in one address, as the superuser. */
  url: string;
  killPrimary(): Promise<void>;
  /** Resolves when the standby accepts writes. */
  promote(): Promise<void>;
  /** The killed primary comes back, as if nothing had happened, at another port. */
  restartPrimary(): Promise<EmbeddedPostgres>;
  stop(): Promise<void>;
};

/** A commit is answered when the standby has it: only then an acknowledgement outlives the primary. */
export async function startReplicatedPostgres(
  settings: Record<string, string> = {},
): Promise<ReplicatedPostgres> {
  const folder = await newFolder();
  const start = (name: string) =>
    startEmbeddedPostgres({
      dataDir: join(folder, name),
      database: "app",
      settings: { wal_keep_size: "256MB", max_connections: "100", ...settings },
    });
  let primary = await start("primary");
  await appendFile(
    join(primary.dataDir, "pg_hba.conf"),
    "host replication all 127.0.0.1/32 scram-sha-256\n",
  );
  await rows(primary.url, "SELECT pg_reload_conf()");
  await copyCluster(primary, join(folder, STANDBY));
  const standby = await start(STANDBY);
  await rows(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
  await rows(primary.url, "SELECT pg_reload_conf()");
  await eventually("synchronous replication", async () => {
    const found = await rows(
      primary.url,
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'",
    );
    return found.length === 1;
  });
  const [first, second] = [new URL(primary.url), new URL(standby.url)];
  const login = `${first.username}:${first.password}`;
  return {
    get primary() {
      return primary;
    },
    standby,
    url: `postgresql://${login}@${first.host},${second.host}${first.pathname}?target_session_attrs=read-write`,
    async killPrimary() {
      await killServer(primary.pid);
      await primary.stop();
    },
    async promote() {
      await rows(standby.url, "SELECT pg_promote()");
    },
    async restartPrimary() {
      // As the operator of a single server would start it: it waits for no standby.
      await rm(join(primary.dataDir, "postgresql.auto.conf"));
      return (primary = await start("primary"));
    },
    async stop() {
      await Promise.all([primary.stop(), standby.stop()]);
      await removeFolder(folder);
    },
  };
}

async function copyCluster(primary: EmbeddedPostgres, to: string): Promise<void> {
  const session = new pg.Client({ connectionString: primary.url });
  await session.connect();
  try {
    await session.query("SELECT pg_backup_start('standby', true)");
    await cp(primary.dataDir, to, {
      recursive: true,
      filter: (path) => !/\/(postmaster\.(pid|opts)|pg_wal\/.+)$/.test(path),
    });
    const { rows: stopped } = await session.query<{ labelfile: string }>(
      "SELECT labelfile FROM pg_backup_stop(true)",
    );
    const { hostname, port, username, password } = new URL(primary.url);
    await writeFile(join(to, "backup_label"), stopped[0]!.labelfile);
    await writeFile(join(to, "standby.signal"), "");
    await writeFile(
      join(to, "postgresql.auto.conf"),
      `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY}'\n`,
    );
    await mkdir(join(to, "pg_wal/archive_status"), { recursive: true });
    await mkdir(join(to, "pg_wal/summaries"), { recursive: true });
    await writeFile(`${to}.password`, await readFile(`${primary.dataDir}.password`), {
      mode: 0o600,
    });
    const { uid, gid } = await stat(primary.dataDir);
    for (const path of [
      to,
      ...(await readdir(to, { recursive: true })).map((name) => join(to, name)),
    ])
      await chown(path, uid, gid);
    await chmod(to, 0o700);
  } finally {
    await session.end();
  }
}
