// The archive wherever the platform's saved configuration puts it. What was filed elsewhere before stays there: whoever moves
// the archive moves its objects too.
import { openObjectStore, type ObjectStore } from "./archive.ts";

/** Asked for at most once in this time: a move is rare, a delivery is not. */
const BELIEVED_MS = 2_000;

export type MovableArchive = ObjectStore & {
  /** Every address that is or was the archive's, the deployed one first; at most BELIEVED_MS old. */
  addresses(): Promise<string[]>;
};

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
  let askedAt = -BELIEVED_MS;

  async function present(): Promise<ObjectStore> {
    if (performance.now() - askedAt >= BELIEVED_MS) {
      askedAt = performance.now();
      current = open((await savedUrl()) ?? deployedUrl);
    }
    return current;
  }
  return {
    put: async (path, body, contentType) => (await present()).put(path, body, contentType),
    get: async (path) => (await present()).get(path),
    list: async (prefix) => (await present()).list(prefix),
    remove: async (path) => (await present()).remove(path),
    urlOf: (path) => current.urlOf(path),
    async addresses() {
      await present();
      return [...opened.keys()];
    },
  };
}
