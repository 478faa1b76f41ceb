import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * Processor time of this process in milliseconds. Other load on the machine does not count, as it
 * does on a clock.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Gives all threads of this process the priority of the one that calls, for a test that computes many
 * hashes: their threads give way to everything else on the machine. Where the system does not permit
 * it the test takes longer.
 */
export function levelThreads(): void {
  if (process.platform !== "linux") return;
  try {
    for (const id of readdirSync("/proc/self/task")) setPriority(Number(id), getPriority());
  } catch {
    // Raising a priority needs a right that an ordinary account does not have.
  }
}
