// A lock file that names its holder, so that a lock left behind by a killed process is recognised
// and taken over.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

export class LockHeldError extends Error {
  override name = "LockHeldError";
  readonly pid: number;
  constructor(path: string, pid: number) {
    super(`${path} is held by process ${pid}`);
    this.pid = pid;
  }
}

/**
 * A word that stays the same for the life of a process and differs for the next one with the same
 * pid; null when no such process runs. Outside Linux it is "?" for every running process.
 */
export function findProcess(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return null;
  }
  const fields = readOrEmpty(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  // A zombie has ended; it only waits for a parent that may never ask.
  if (fields[0] === "Z" || fields[0] === "X") return null;
  return fields[19] ?? "?";
}

/** Takes the lock or throws LockHeldError; returns the function that gives it back. Never waits. */
export function takeLock(path: string): () => void {
  const mine = `${process.pid} ${findProcess(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  for (let attempt = 0; attempt < 50; attempt++) {
    writeFileSync(draft, mine, { mode: 0o644 });
    try {
      // link() is the atomic "create with this content, or fail": no process ever sees a lock without
      // its holder.
      linkSync(draft, path);
      return () => {
        if (readOrEmpty(path) === mine) rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    removeIfStale(path, draft);
  }
  throw new LockHeldError(path, Number.parseInt(readOrEmpty(path), 10));
}

function removeIfStale(path: string, draft: string): void {
  const found = readOrEmpty(path);
  if (found === "") return;
  const [pid = "", start] = found.split(" ");
  const running = findProcess(Number(pid));
  if (running !== null && (running === start || running === "?" || start === "?")) {
    throw new LockHeldError(path, Number(pid));
  }
  const aside = `${draft}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Between reading and renaming, another process may have taken over: what was moved is then its
  // lock. Give it back.
  if (readOrEmpty(aside) !== found) {
    try {
      linkSync(aside, path);
    } catch {
      // A third process was faster still; the data folder's own pid file decides between the two.
    }
  }
  rmSync(aside, { force: true });
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
