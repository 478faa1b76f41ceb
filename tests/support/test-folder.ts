// One folder for everything that a test run writes: databases, archives, browser profiles. In memory where
// there is room, because a disk takes seconds of processor time for the thousands of files that the tests
// create and delete.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const DISK = "/var/tmp";
const MIN_FREE_BYTES = 4 * 1024 ** 3;

export type TestFolder = { folder: string; remove(): void };

/**
 * From now on `tmpdir()` is in it, here and in every process that starts. Deleted by `remove`, and when this
 * process exits.
 */
export function openTestFolder(): TestFolder {
  const folder = makeFolder(hasRoom(MEMORY) ? MEMORY : DISK) ?? makeFolder(DISK);
  if (!folder) throw new Error(`Programs cannot be executed in ${DISK}.`);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once("exit", remove);
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  // As /tmp: PostgreSQL's account writes there, too.
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  return { folder, remove };
}

function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Null where programs cannot be executed: some tests start a copy of the project. */
function makeFolder(place: string): string | null {
  const folder = mkdtempSync(join(place, "customer-identity-test-"));
  // mkdtemp creates the folder for its owner only; PostgreSQL's account has to traverse it.
  chmodSync(folder, 0o711);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  return null;
}
