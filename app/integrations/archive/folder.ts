// Objects as files of a folder, readable by the service's user only.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { removeEach, type ObjectStore } from "./object-store.ts";

/** A path that leaves the archive is a bug of ours, and no failure of the archive. */
export class PathOutside extends Error {}

/** In the first folder of a path, so that what is not finished is found without reading all folders. */
const UNFINISHED = ".unfinished";

/**
 * A folder is missing for the first object of a day, and a part when another process deleted what is not
 * finished: then it is written again.
 */
const MAX_REPEATS = 10;

/** Throws PathOutside for a path that leaves the folder. */
export function openFolder(folder: string): ObjectStore {
  const fileOf = (path: string): string => {
    const file = resolve(folder, path);
    if (!file.startsWith(folder + sep))
      throw new PathOutside(`the archive path ${path} leaves the archive`);
    return file;
  };
  /** A path without a folder has none for what is not finished either. */
  const partOf = (path: string) => {
    const end = path.indexOf("/");
    const name = `${process.pid}.${randomUUID()}.part`;
    return end === -1
      ? `${fileOf(path)}.${name}`
      : fileOf(join(path.slice(0, end), UNFINISHED, name));
  };
  return {
    async put(path, body) {
      const file = fileOf(path);
      // Temp file + rename: a crash leaves the old object or the new one, never half of one.
      const part = partOf(path);
      const write = async (writesLeft: number): Promise<void> => {
        try {
          await writeFile(part, body, { mode: 0o600 });
          await rename(part, file);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT" || writesLeft === 0) throw error;
          await makeFolders([part, file]);
          await write(writesLeft - 1);
        }
      };
      try {
        await write(MAX_REPEATS);
      } catch (error) {
        await rm(part, { force: true }).catch(() => {});
        throw error;
      }
    },
    get: async (path) => readFile(fileOf(path)).catch(orNull),
    async list(prefix) {
      // Reads only the folder that the prefix names, not the objects of all stores.
      const top = fileOf(join(prefix.slice(0, prefix.lastIndexOf("/") + 1), "x"));
      const files = await filesBelow(dirname(top));
      const paths = files.map((file) => relative(folder, file).split(sep).join("/"));
      return paths.filter((path) => path.startsWith(prefix)).sort();
    },
    async folders(prefix) {
      const entries = await readdir(fileOf(prefix), { withFileTypes: true }).catch(orNone);
      return entries
        .filter((entry) => entry.isDirectory() && entry.name !== UNFINISHED)
        .map(({ name }) => name)
        .sort();
    },
    remove: async (path) => rm(fileOf(path), { force: true }),
    async removeFolder(prefix, signal) {
      const removed = await removeEach(this, await this.list(prefix), signal);
      // Deletes unfinished files too, and tries again: another process may be writing.
      if (!signal.aborted)
        await rm(fileOf(prefix), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      return removed;
    },
    async removeUnfinished(prefix) {
      const parts = fileOf(join(prefix, UNFINISHED));
      // The folder stays: another process may be about to write into it.
      for (const name of await readdir(parts).catch(orNone))
        await rm(join(parts, name), { force: true });
    },
    urlOf: (path) => pathToFileURL(fileOf(path)).href,
  };
}

async function makeFolders(files: readonly string[]): Promise<void> {
  // A folder that is deleted meanwhile is made again at the next write.
  for (const file of files)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(orNull);
}

/** A folder that is deleted meanwhile holds up none of the others. What is not finished is left out. */
async function filesBelow(top: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(top, { withFileTypes: true }).catch(orNone)) {
    const path = join(top, entry.name);
    if (entry.isDirectory() && entry.name !== UNFINISHED) files.push(...(await filesBelow(path)));
    else if (entry.isFile() && !entry.name.endsWith(".part")) files.push(path);
  }
  return files;
}

function orNone(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT") return [];
  throw error;
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
