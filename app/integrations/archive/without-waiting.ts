import { watchSilence } from "../../runtime/outbound/silence.ts";
import type { Archive, StoreArchive } from "./store-archive.ts";

/** The same archive for a pass through many stores, which does not wait for each of them while it is silent. */
export function withoutWaiting(archive: Archive): Archive {
  const silence = watchSilence("archive");
  return {
    ofStore(shop): StoreArchive {
      const store = archive.ofStore(shop);
      return {
        pathOf: (path) => store.pathOf(path),
        put: (path, body, type) => silence.ask(() => store.put(path, body, type)),
        get: (path) => silence.ask(() => store.get(path)),
        list: (prefix) => silence.ask(() => store.list(prefix)),
        folders: (prefix) => silence.ask(() => store.folders(prefix)),
        remove: (path) => silence.ask(() => store.remove(path)),
        removeFolder: (prefix, signal) => silence.ask(() => store.removeFolder(prefix, signal)),
        removeUnfinished: () => silence.ask(() => store.removeUnfinished()),
        removeAll: () => silence.ask(() => store.removeAll()),
        urlOf: (path) => store.urlOf(path),
      };
    },
  };
}
