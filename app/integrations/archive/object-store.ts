// Objects by path, in a folder or a bucket.

/** Throws the errors of the AWS SDK or of the file system; the service's own archive an OutboundError. */
export type ObjectStore = {
  /** Writes the whole object, replacing one of the same path. */
  put(path: string, body: string | Buffer, contentType?: string): Promise<void>;
  /** The object's bytes, or null when there is none. */
  get(path: string): Promise<Buffer | null>;
  /** Paths that begin with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Names of the folders directly below `prefix`, which ends with a slash, sorted. */
  folders(prefix: string): Promise<string[]>;
  /** Deletes the object; a missing one is no error. */
  remove(path: string): Promise<void>;
  /**
   * Deletes what is below `prefix`, which ends with a slash, until the signal is aborted. Returns
   * the number of deleted objects.
   */
  removeFolder(prefix: string, signal: AbortSignal): Promise<number>;
  /**
   * Deletes what writers that died have left of objects below `prefix`, the first folder of their paths with a slash. A
   * writer that is at work begins again. A bucket has nothing of the kind.
   */
  removeUnfinished(prefix: string): Promise<void>;
  /** The object's address for an operator: `file:` or `s3:`. */
  urlOf(path: string): string;
};

const REMOVALS_AT_ONCE = 16;

/** Deletes these objects until the signal is aborted; returns how many. */
export async function removeEach(
  store: Pick<ObjectStore, "remove">,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (removed < paths.length && !signal.aborted) {
    const some = paths.slice(removed, removed + REMOVALS_AT_ONCE);
    await Promise.all(some.map((path) => store.remove(path)));
    removed += some.length;
  }
  return removed;
}
