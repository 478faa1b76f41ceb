// The archive as the service sees it: one root for each store, `{shop}/`, and no way to an object but through its store.
// Two stores never share an object, and removing a store removes its root (DECISIONS 12).
//
// Objects of before the roots lie at the same paths without the root. They are read, listed and removed where they are;
// nothing is written there any more. Those below `events/` do not say in their path whose they are: their content does.
import type { ObjectStore } from "./archive.ts";

export type StoreArchive = {
  /** The whole path of an object in the archive, for records of where it is. */
  pathOf(path: string): string;
  /** Writes the whole object, replacing one of the same path. */
  put(path: string, body: string | Buffer, contentType?: string): Promise<void>;
  get(path: string): Promise<Buffer | null>;
  /** Paths below the root that begin with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  /** Removes every object of the store. @returns how many. */
  removeAll(): Promise<number>;
  /** Where a person with access finds the object. */
  urlOf(path: string): string;
};

export type Archive = { ofStore(shop: string): StoreArchive };

/** Folders of before the roots that have one folder of each store. */
const OLD_STORE_FOLDERS = ["gdpr", "consent/checkpoints", "probes"] as const;
const OLD_SHARED_FOLDER = "events/";

const SHOP = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$/;

export function openStoreRoots(objects: ObjectStore): Archive {
  return {
    ofStore(shop) {
      if (!SHOP.test(shop)) throw new Error(`${shop} is no store's name`);
      return openRoot(objects, shop);
    },
  };
}

function openRoot(objects: ObjectStore, shop: string): StoreArchive {
  const root = `${shop}/`;
  const pathOf = (path: string) => root + requireInside(path);
  const namesStore = (path: string) =>
    OLD_STORE_FOLDERS.some((folder) => path.startsWith(`${folder}/${shop}/`));

  /** An object of before the roots, when it is this store's. */
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
    async remove(path) {
      await objects.remove(pathOf(path));
      if (await getOld(path)) await objects.remove(path);
    },
    async removeAll() {
      const old = [
        ...(await Promise.all(
          OLD_STORE_FOLDERS.map((folder) => objects.list(`${folder}/${shop}/`)),
        )),
        await filterOwned(await objects.list(OLD_SHARED_FOLDER)),
      ];
      const paths = [...(await objects.list(root)), ...old.flat()];
      for (const path of paths) await objects.remove(path);
      return paths.length;
    },
    urlOf: (path) => objects.urlOf(pathOf(path)),
  };

  async function filterOwned(paths: string[]): Promise<string[]> {
    const owned: string[] = [];
    for (const path of paths) if (await getOld(path)) owned.push(path);
    return owned;
  }
}

/** A path that leaves the root would be another store's. */
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
