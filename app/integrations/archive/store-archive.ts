// The archive with one root per store, `{shop}/`: objects are reachable only through their store,
// stores never share an object, and deleting a store deletes its root (DECISIONS 12).
//
// Older objects have the same paths without the root. They are read, listed and deleted there, but
// no longer written. The path of an older object below `events/` does not name its store: its
// content does.
import type { ObjectStore } from "./object-store.ts";

export type StoreArchive = {
  /** The full path of an object in the archive, for records that refer to it. */
  pathOf(path: string): string;
  /** Writes the whole object, replacing one of the same path. */
  put(path: string, body: string | Buffer, contentType?: string): Promise<void>;
  /** The object's bytes, or null when there is none. */
  get(path: string): Promise<Buffer | null>;
  /** Paths below the root that begin with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Names of the folders directly below `prefix`, which ends with a slash, sorted. */
  folders(prefix: string): Promise<string[]>;
  /** Deletes the object; a missing one is no error. */
  remove(path: string): Promise<void>;
  /**
   * Deletes what is below `prefix`, which ends with a slash, until the signal is aborted. Returns
   * the number of deleted objects. Older objects without the root stay.
   */
  removeFolder(prefix: string, signal: AbortSignal): Promise<number>;
  /** Deletes what writers of the store's objects have left when they died. */
  removeUnfinished(): Promise<void>;
  /** Deletes every object of the store, and its folders. Returns how many objects. */
  removeAll(): Promise<number>;
  /** The object's address for an operator: `file:` or `s3:`. */
  urlOf(path: string): string;
};

export type Archive = { ofStore(shop: string): StoreArchive };

/** Older folders whose paths name the store. */
const OLD_STORE_FOLDERS = ["gdpr", "consent/checkpoints", "probes"] as const;
const OLD_SHARED_FOLDER = "events/";

const SHOP = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$/;

/** Throws an Error when `shop` is not a domain name, or a path leaves the store's root. */
export function openStoreRoots(objects: ObjectStore): Archive {
  return {
    ofStore(shop) {
      if (!SHOP.test(shop)) throw new Error(`${shop} is not a store domain`);
      return openRoot(objects, shop);
    },
  };
}

function openRoot(objects: ObjectStore, shop: string): StoreArchive {
  const root = `${shop}/`;
  const pathOf = (path: string) => root + requireInside(path);
  const folderOf = (prefix: string) => `${pathOf(prefix.replace(/\/$/, ""))}/`;
  const namesStore = (path: string) =>
    OLD_STORE_FOLDERS.some((folder) => path.startsWith(`${folder}/${shop}/`));

  /** The older object at this path, when it belongs to this store. */
  async function getOld(path: string): Promise<Buffer | null> {
    if (namesStore(path)) return objects.get(path);
    if (!path.startsWith(OLD_SHARED_FOLDER)) return null;
    const object = await objects.get(path);
    return object && ownerOf(object) === shop ? object : null;
  }

  return {
    pathOf,
    put: (path, body, contentType) => objects.put(pathOf(path), body, contentType),
    get: async (path) => (await objects.get(pathOf(path))) ?? getOld(path),
    async list(prefix) {
      const paths = await objects.list(root + prefix);
      const old = namesStore(prefix) ? await objects.list(prefix) : [];
      return [...new Set([...paths.map((path) => path.slice(root.length)), ...old])].sort();
    },
    folders: (prefix) => objects.folders(folderOf(prefix)),
    removeFolder: (prefix, signal) => objects.removeFolder(folderOf(prefix), signal),
    removeUnfinished: () => objects.removeUnfinished(root),
    async remove(path) {
      await objects.remove(pathOf(path));
      if (await getOld(path)) await objects.remove(path);
    },
    async removeAll() {
      const { signal } = new AbortController();
      let removed = 0;
      for (const folder of [root, ...OLD_STORE_FOLDERS.map((name) => `${name}/${shop}/`)])
        removed += await objects.removeFolder(folder, signal);
      const shared = await filterOwned(await objects.list(OLD_SHARED_FOLDER));
      for (const path of shared) await objects.remove(path);
      return removed + shared.length;
    },
    urlOf: (path) => objects.urlOf(pathOf(path)),
  };

  async function filterOwned(paths: string[]): Promise<string[]> {
    const owned: string[] = [];
    for (const path of paths) if (await getOld(path)) owned.push(path);
    return owned;
  }
}

/** A path that leaves the root could name another store's object. */
function requireInside(path: string): string {
  const isInside = path
    .split("/")
    .every((segment) => segment !== "" && segment !== "." && segment !== "..");
  if (!isInside || path.includes("\\"))
    throw new Error(`the archive path ${path} leaves the archive of its store`);
  return path;
}

function ownerOf(object: Buffer): string | null {
  try {
    const { tenant_shop: shop } = JSON.parse(object.toString("utf8")) as { tenant_shop?: unknown };
    return typeof shop === "string" ? shop : null;
  } catch {
    return null;
  }
}
