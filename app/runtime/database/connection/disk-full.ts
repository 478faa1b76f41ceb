import type { Log } from "../../log.ts";

const AGAIN_MS = 60_000;

/** Logs that the database's disk is full, once a minute while statements are refused for it. */
export function reportDiskFull(log: Log, region: string): (reason: string) => void {
  let reportedAt = -Infinity;
  return (reason) => {
    const now = performance.now();
    if (now - reportedAt < AGAIN_MS) return;
    reportedAt = now;
    log.warn("database.disk_full", {
      region,
      reason,
      advice: "Make room on the database server's disk; nothing needs a restart.",
    });
  };
}
