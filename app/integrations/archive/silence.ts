// An archive that takes connections and gives no answer. Every call would wait for its whole time limit; a pass of many
// calls asks once in a while whether it answers again, and goes on without it.
import { OutboundError } from "../../runtime/errors.ts";
import type { Archive, StoreArchive } from "./store-archive.ts";

/** A silent archive is asked again by one call after this time. */
const AGAIN_AFTER_MS = 10_000;

export type Silence = {
  /**
   * The result of `call`, or at once an OutboundError of kind `timeout`: an earlier call ran out of its time, and none was
   * answered since.
   */
  ask<T>(call: () => Promise<T>): Promise<T>;
};

/** Knows whether one archive is silent. Times are those of `performance.now()`. */
export function watchSilence(): Silence {
  let noticedAt = -Infinity;
  /** Null while the archive answers. */
  let againAt: number | null = null;
  return {
    async ask(call) {
      const begunAt = performance.now();
      if (againAt !== null) {
        if (begunAt < againAt) throw silent();
        againAt = begunAt + AGAIN_AFTER_MS;
      }
      try {
        const result = await call();
        // One that began before the silence says nothing about it.
        if (begunAt > noticedAt) againAt = null;
        return result;
      } catch (error) {
        if (error instanceof OutboundError && error.kind === "timeout") {
          noticedAt = performance.now();
          againAt = noticedAt + AGAIN_AFTER_MS;
        }
        throw error;
      }
    },
  };
}

const silent = () =>
  new OutboundError("archive", "timeout", {
    message: "the archive failed: it gives no answer, and is asked again in a while",
  });

/** The same archive for a pass through many stores, which does not wait for each of them while it is silent. */
export function withoutWaiting(archive: Archive): Archive {
  const silence = watchSilence();
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
