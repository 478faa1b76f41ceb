// The archive wherever the platform's saved configuration puts it. What was filed elsewhere before stays there: whoever moves
// the archive moves its objects too.
import { openArchive, type Archive } from "./archive.ts";

/** Asked for at most once in this time: a move is rare, a delivery is not. */
const BELIEVED_MS = 2_000;

export function openMovableArchive(
  deployedUrl: string,
  root: string,
  savedUrl: () => Promise<string | null>,
): Archive {
  const opened = new Map<string, Archive>();
  const open = (url: string): Archive => {
    const archive = opened.get(url) ?? openArchive(url, root);
    opened.set(url, archive);
    return archive;
  };
  let current = open(deployedUrl);
  let askedAt = -BELIEVED_MS;

  async function present(): Promise<Archive> {
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
  };
}
