// The data folder of the embedded database: whether it is sound, and how a new one is made. Beside <dir>
// stand <dir>.password, <dir>.lock, <dir>.log and, while a new one is made, <dir>.partial-*.
import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Binaries, run } from "./binaries.ts";
import { listFolder, type DataPlace } from "./data-place.ts";
import { EmbeddedPostgresError, explainFileError } from "./error.ts";

/**
 * True when a sound database is there, false when one has to be made; throws when it is neither.
 */
export async function isInitialised(dir: string, majorVersion: string): Promise<boolean> {
  const entries = await listFolder(dir).catch((error) => {
    throw explainFileError(error, `The database folder ${dir} cannot be read`);
  });
  if (entries.length === 0) return false;
  const version = await readFile(join(dir, "PG_VERSION"), "utf8").then(
    (text) => text.trim(),
    () => "",
  );
  const missing = ["PG_VERSION", "global", "base", "pg_wal"].filter(
    (entry) => !entries.includes(entry),
  );
  if (missing.length > 0 || version === "") {
    throw new EmbeddedPostgresError(
      `The database folder ${dir} is damaged or holds something else (${missing[0] ?? "PG_VERSION"} is missing); restore it from a backup, or move it away to start with an empty database.`,
    );
  }
  if (version !== majorVersion) {
    throw new EmbeddedPostgresError(
      `The database folder ${dir} was made by PostgreSQL ${version} and this is PostgreSQL ${majorVersion}; dump it with version ${version} and load the dump here, or set DATABASE_URL to a PostgreSQL ${version} server.`,
    );
  }
  return true;
}

/**
 * Makes a new database beside its place and moves it there whole: a crash in the middle leaves only
 * <dir>.partial-*.
 */
export async function initialise(
  { dir, account }: DataPlace,
  binaries: Binaries,
  { isDurable }: { isDurable: boolean },
): Promise<void> {
  let partial = "";
  try {
    for (const entry of await readdir(dirname(dir))) {
      if (entry.startsWith(`${basename(dir)}.partial-`)) await remove(join(dirname(dir), entry));
    }
    // A new name every time: an initdb that outlived its parent may still be writing to, or
    // cleaning up, the old one.
    partial = await mkdtemp(`${dir}.partial-`);
    if (account.uid !== undefined) await chown(partial, account.uid, account.gid ?? account.uid);
    // No client gets in until setPassword() and the file below: "reject" also keeps the password out
    // of argv.
    const args = [
      "-D",
      partial,
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "--locale=C",
      "--auth=reject",
      "--no-instructions",
    ];
    const { code, output } = await run(
      account,
      binaries.initdb,
      isDurable ? args : [...args, "--no-sync"],
    );
    if (code !== 0) {
      throw new EmbeddedPostgresError(
        `A new database cannot be made in ${dir}: ${lastLines(output)}`,
      );
    }
    await writeFile(join(partial, "pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
    await rename(partial, dir);
  } catch (error) {
    if (partial) await remove(partial).catch(() => {});
    throw explainFileError(error, `The database folder ${dir} cannot be made`);
  }
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The password in <dir>.password, or null when it has to be made. */
export async function readPassword(dir: string): Promise<string | null> {
  const text = await readFile(`${dir}.password`, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw explainFileError(error, `The password file ${dir}.password cannot be read`);
  });
  return /^[0-9a-f]{48}$/.test(text) ? text : null;
}

/**
 * Sets a new random password on a stopped database. The file comes last: without it the next start
 * does this again.
 */
export async function setPassword(
  { dir, account }: DataPlace,
  binaries: Binaries,
): Promise<string> {
  const password = randomBytes(24).toString("hex");
  const args = ["--single", "-D", dir, "-c", "log_min_error_statement=panic", "postgres"];
  const statement = `ALTER ROLE postgres PASSWORD '${password}'\n`;
  let { code, output } = await run(account, binaries.postgres, args, statement);
  // The same step of a start that was killed may still be ending.
  for (let left = 50; left > 0 && leftoverServer.test(output); left--) {
    await delay(100);
    ({ code, output } = await run(account, binaries.postgres, args, statement));
  }
  if (code !== 0 || /ERROR|FATAL|PANIC/.test(output)) {
    throw new EmbeddedPostgresError(`The database in ${dir} does not start: ${lastLines(output)}`);
  }
  try {
    await rm(`${dir}.password`, { force: true });
    await writeFile(`${dir}.password`, password, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw explainFileError(error, `The password file ${dir}.password cannot be written`);
  }
  return password;
}

/**
 * What PostgreSQL says while processes of a killed server or start are still ending; it passes by
 * itself.
 */
export const leftoverServer = /another postgres \(PID|pre-existing shared memory/;

/** The lines of a PostgreSQL log that explain a failure, as one piece of a sentence. */
export function lastLines(log: string): string {
  const lines = log
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const failures = lines.filter((line) => /FATAL|PANIC|ERROR|error:|HINT|DETAIL/.test(line));
  const chosen = (failures.length > 0 ? failures : lines).slice(-3);
  return (
    chosen
      .map((line) => line.slice(Math.max(0, line.search(/(FATAL|PANIC|ERROR|HINT|DETAIL):/))))
      .map((line) => line.replace(/:\s+/g, ": "))
      .join("; ") || "it left no message"
  );
}
