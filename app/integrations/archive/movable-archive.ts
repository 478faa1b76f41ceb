// The archive at the address in the saved platform configuration, or at the deployed one. Changing
// the address moves no objects: the operator copies them.
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { createPatience } from "../../runtime/database/patience.ts";
import type { ObjectStore } from "./object-store.ts";
import { openObjectStore } from "./own-archive.ts";

/** How long the saved address is cached: it rarely changes, and every delivery needs it. */
const CACHE_MS = 2_000;

export type MovableArchive = ObjectStore & {
  /** Every address the archive has had since the process started, the deployed one first. */
  addresses(): Promise<string[]>;
};

/**
 * `savedUrl` returns the configured address, or null for the deployed one; it is read at most every
 * two seconds.
 */
export function openMovableArchive(
  deployedUrl: string,
  root: string,
  savedUrl: () => Promise<string | null>,
): MovableArchive {
  const opened = new Map<string, ObjectStore>();
  const open = (url: string): ObjectStore => {
    const archive = opened.get(url) ?? openObjectStore(url, root);
    opened.set(url, archive);
    return archive;
  };
  let current = open(deployedUrl);
  let readAt = 0;
  let isRead = false;
  let reading: Promise<void> | null = null;
  const patience = createPatience();

  async function read(): Promise<void> {
    readAt = performance.now();
    try {
      current = open((await savedUrl()) ?? deployedUrl);
      isRead = true;
    } catch (error) {
      // While home is away, other cells go on with the address that they know.
      if (!isRead || !isDatabaseAway(error)) throw error;
    } finally {
      reading = null;
    }
  }

  /** Without waiting where another call reads already, and only for a moment where home is silent. */
  async function present(): Promise<ObjectStore> {
    if (!isRead) await (reading ??= read());
    else if (reading === null && performance.now() - readAt >= CACHE_MS)
      await patience.wait((reading = read()));
    return current;
  }
  return {
    put: async (path, body, contentType) => (await present()).put(path, body, contentType),
    get: async (path) => (await present()).get(path),
    list: async (prefix) => (await present()).list(prefix),
    folders: async (prefix) => (await present()).folders(prefix),
    remove: async (path) => (await present()).remove(path),
    removeFolder: async (prefix, signal) => (await present()).removeFolder(prefix, signal),
    removeUnfinished: async (prefix) => (await present()).removeUnfinished(prefix),
    urlOf: (path) => current.urlOf(path),
    async addresses() {
      await present();
      return [...opened.keys()];
    },
  };
}
