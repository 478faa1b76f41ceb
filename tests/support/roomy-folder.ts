import { statfs } from "node:fs/promises";

const MIN_FREE_BYTES = 3 * 1024 ** 3;

/**
 * In memory where there is room: every test file copies the template database, and a disk takes seconds
 * to create its files.
 */
export async function roomyFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => null);
  return memory && memory.bavail * memory.bsize > MIN_FREE_BYTES ? "/dev/shm" : "/var/tmp";
}
