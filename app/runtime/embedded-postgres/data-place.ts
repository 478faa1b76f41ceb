// Where the data folder of the embedded database stands, and whose it is. Where the data cannot stand in the wanted
// folder, <wanted>.place says where it is.
import { createHash, randomBytes } from "node:crypto";
import { link, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  type Account,
  canEnter,
  defaultAccount,
  isRoot,
  openSystemPlace,
  systemPlace,
} from "./binaries.ts";
import { EmbeddedPostgresError, explainFileError } from "./error.ts";

export interface DataPlace {
  dir: string;
  account: Account;
}

/**
 * Decides the real folder and the account. Data that exists always wins, wherever it stands:
 * choosing another place because permissions changed would silently start an empty database.
 */
export async function choosePlace(wanted: string): Promise<DataPlace> {
  let dir = resolve(wanted);
  try {
    await mkdir(dirname(dir), { recursive: true });
    // One data folder must have one name, or two starts through different links would not see each
    // other.
    dir = await realpath(dir).catch(async () => join(await realpath(dirname(dir)), basename(dir)));
    const account = defaultAccount();
    if ((await listFolder(dir)).length > 0) {
      const owner = await ownerOf(dir, account);
      if (await canEnter(owner, dir)) return { dir, account: owner };
      throw new EmbeddedPostgresError(
        `The database folder ${dir} cannot be reached by its owner (${owner.name}) because a folder above it is closed; open those folders (chmod o+x) or move it and set the new place.`,
      );
    }
    if (!isRoot) return { dir, account };
    const elsewhere = (await readPlace(dir)) ?? (await formerPlace(dir));
    if (elsewhere !== null && (await listFolder(elsewhere)).length > 0)
      return { dir: elsewhere, account: await ownerOf(elsewhere, account) };
    if (await canEnter(account, dirname(dir))) return { dir, account };
    await openSystemPlace();
    return { dir: elsewhere ?? (await newPlaceFor(dir)), account };
  } catch (error) {
    throw explainFileError(error, `The database folder ${dir} cannot be used`);
  }
}

/** The folder that an earlier start chose instead of `dir`, or null. */
async function readPlace(dir: string): Promise<string | null> {
  const place = await readFile(`${dir}.place`, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return place.trim() || null;
}

/**
 * Where versions without a note kept the data: in a folder named by the path. Null for a folder that no
 * service has used yet (process/prepare-database.ts writes `database.url` at each start).
 */
async function formerPlace(dir: string): Promise<string | null> {
  if (!(await listFolder(dirname(dir))).includes("database.url")) return null;
  const name = `data-${createHash("sha256").update(dir).digest("hex").slice(0, 16)}`;
  const place = join(systemPlace, name);
  return (await listFolder(place)).length > 0 ? place : null;
}

/**
 * Chooses a folder in the system place and notes it beside `dir`. Its name is random: a project that is
 * cloned again to the path of a deleted one must not meet the data, whose secrets are gone.
 */
async function newPlaceFor(dir: string): Promise<string> {
  const name = `data-${randomBytes(8).toString("hex")}`;
  const draft = `${dir}.place.${name}`;
  await writeFile(draft, `${join(systemPlace, name)}\n`);
  // A link, because it is there whole and only once: two first starts at once must not get a database each.
  await link(draft, `${dir}.place`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return (await readPlace(dir)) as string;
}

/** Root runs an existing database as its owner; other accounts can only run their own. */
async function ownerOf(dir: string, account: Account): Promise<Account> {
  const { uid, gid } = await stat(dir);
  if (uid === (account.uid ?? process.getuid?.() ?? uid)) return account;
  if (isRoot && uid !== 0) return { name: `user ${uid}`, uid, gid };
  const owner = uid === 0 ? "root, as whom PostgreSQL refuses to run" : `user ${uid}`;
  throw new EmbeddedPostgresError(
    `The database folder ${dir} belongs to ${owner}; give it back to ${account.name} (chown -R) or choose another folder.`,
  );
}

/** Empty for a folder that does not exist. */
export async function listFolder(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
