// The database that comes with the service: a real PostgreSQL as our child, used when DATABASE_URL
// is not set.
//   absent -> made -> started -> stopped;  parent killed -> still running -> adopted by the next start
import pg from "pg";
import { findBinaries } from "./binaries.ts";
import { EmbeddedPostgresError, explainFileError } from "./error.ts";
import { choosePlace } from "./data-place.ts";
import { initialise, isInitialised, readPassword, setPassword } from "./folder.ts";
import { end, findRunning, launch, type Server, signal } from "./server.ts";
import { LockHeldError, takeLock } from "./process-lock.ts";

export { EmbeddedPostgresError };

export interface EmbeddedPostgres {
  /** Connection string of the wanted database, with its password. */
  url: string;
  /** True when a server that survived its killed parent was taken over instead of starting one. */
  adopted: boolean;
  /**
   * Where the data really stands; differs from the wanted folder when PostgreSQL's account cannot
   * reach that.
   */
  dataDir: string;
  pid: number;
  /** Ends the server and gives the folder back; may be called twice. */
  stop(): Promise<void>;
}

type Log = (event: string, fields: Record<string, unknown>) => void;

/**
 * Starts (or adopts) the server of `dataDir` and creates `database` if absent. `settings` are
 * server parameters; an adopted server keeps those it was started with. Throws
 * EmbeddedPostgresError only.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  database: string;
  settings?: Record<string, string>;
  log?: Log;
}): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const settings = options.settings ?? {};
  const place = await choosePlace(options.dataDir);
  const binaries = await findBinaries(place.account);
  const unlock = lockFolder(place.dir);
  let server: Server | null = null;
  try {
    const isNew = !(await isInitialised(place.dir, binaries.majorVersion));
    if (isNew) {
      await initialise(place, binaries, { isDurable: settings.fsync !== "off" });
      log("database.created", { dataDir: place.dir, account: place.account.name });
    }
    let password = isNew ? null : await readPassword(place.dir);
    server = await findRunning(place.dir, password);
    if (server && password === null) {
      await end(server);
      server = null;
    }
    const adopted = server !== null;
    password ??= await setPassword(place, binaries);
    server ??= await launch(place, binaries, settings);
    const url = (name: string) =>
      `postgresql://postgres:${password}@127.0.0.1:${server!.port}/${encodeURIComponent(name)}`;
    await ensureDatabase(url("postgres"), options.database, place.dir);
    log(adopted ? "database.adopted" : "database.started", {
      dataDir: place.dir,
      pid: server.pid,
      port: server.port,
    });
    return guard(
      server,
      { url: url(options.database), adopted, dataDir: place.dir, pid: server.pid },
      unlock,
      log,
    );
  } catch (error) {
    if (server) await end(server).catch(() => {});
    unlock();
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The database in ${place.dir} cannot be used: ${(error as Error).message}`,
    );
  }
}

function lockFolder(dir: string): () => void {
  try {
    return takeLock(`${dir}.lock`);
  } catch (error) {
    if (!(error instanceof LockHeldError))
      throw explainFileError(error, `The lock file ${dir}.lock cannot be written`);
    throw new EmbeddedPostgresError(
      `The database folder ${dir} is in use by another copy of this service (process ${error.pid}); stop that one, choose another folder, or give all copies one DATABASE_URL.`,
    );
  }
}

async function ensureDatabase(url: string, database: string, dir: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [
      database,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
  } catch (error) {
    if ((error as { code?: string }).code !== "28P01") throw error;
    throw new EmbeddedPostgresError(
      `The password in ${dir}.password is not that of the database; delete that file and start again, a new one is made.`,
    );
  } finally {
    await client.end();
  }
}

/**
 * Ties the server's life to ours: stop() on purpose, the exit hook on a crash. SIGKILL runs
 * neither: see adoption.
 */
function guard(
  server: Server,
  facts: Omit<EmbeddedPostgres, "stop">,
  unlock: () => void,
  log: Log,
): EmbeddedPostgres {
  let stopping: Promise<void> | null = null;
  const onExit = () => {
    signal(server, "SIGINT");
    unlock();
  };
  process.once("exit", onExit);
  server.child?.once("exit", (code, cause) => {
    if (!stopping) log("database.died", { pid: server.pid, code, signal: cause });
  });
  const stop = async () => {
    process.off("exit", onExit);
    await end(server);
    unlock();
    log("database.stopped", { pid: server.pid });
  };
  return { ...facts, stop: () => (stopping ??= stop()) };
}
