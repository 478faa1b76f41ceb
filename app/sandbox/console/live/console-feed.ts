/** What the open pages of the console get: the state of all systems, the newest run, and each call as a pulse. */
import type { ServerResponse } from "node:http";
import { createEventStream } from "./event-stream.ts";
import type { Pulse } from "./pulse.ts";
import { viewOf } from "./run.ts";
import type { Run, RunView } from "./run.ts";
import type { World } from "./world.ts";

type ConsoleFeedParts = {
  world(): World;
  newestRun(): Run | null;
  /** The first page was opened. */
  onFirst(): void;
  /** The last page was closed. */
  onLast(): void;
};

export function createConsoleFeed({ world, newestRun, onFirst, onLast }: ConsoleFeedParts) {
  const stream = createEventStream({ onFirst, onLast });
  let lastWorld = "";
  return {
    open(response: ServerResponse): void {
      const run = newestRun();
      stream.open(response, [["world", world()], ...(run ? [["run", viewOf(run)] as const] : [])]);
    },
    /** Unless nothing but the time changed since it was last sent. */
    sendWorld(): void {
      const current = world();
      const text = JSON.stringify({ ...current, now: 0 });
      if (text === lastWorld) return;
      lastWorld = text;
      stream.send("world", current);
    },
    sendRun(): void {
      const run = newestRun();
      if (run) stream.send("run", viewOf(run) satisfies RunView);
    },
    sendPulse: (pulse: Pulse): void => stream.send("pulse", pulse),
    hasPages: (): boolean => stream.size() > 0,
    close: (): void => stream.close(),
  };
}
