import { pbkdf2Sync } from "node:crypto";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { HashAnswer, HashTask } from "./password-hasher.ts";

/** Low enough that a flood of guesses does not slow down other work (docs/performance.md). */
const NICENESS = 12;

try {
  // On Linux a priority set for "0" applies to this thread only.
  if (process.platform === "linux") setPriority(0, NICENESS);
} catch {
  // Where this is not permitted, the hashes run at normal priority.
}

parentPort?.on("message", ({ id, password, salt, iterations }: HashTask) => {
  const answer: HashAnswer = { id, hash: pbkdf2Sync(password, salt, iterations, 32, "sha256") };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer);
});
