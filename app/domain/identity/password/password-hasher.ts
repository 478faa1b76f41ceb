// PBKDF2 on threads of its own, below the priority of everything else: a flood of sign-ins fills
// the spare time of the cores, and the event loop, which serves everybody else, is scheduled first.
//
// The queue is bounded and shared by all stores. Fairness is by work (iterations), not by requests:
// the next task is the one with the earliest start tag (start-time fair queueing), and a full queue
// makes room by refusing the newest task of the store that has the most waiting.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { AppError } from "../../../runtime/errors.ts";

export type HashTask = { id: number; password: string; salt: Uint8Array; iterations: number };
export type HashAnswer = { id: number; hash: Uint8Array };

const MAX_WAITING = 64;
/** As many as cores: one more adds no sign-ins and slows down everything else. */
const MAX_THREADS = availableParallelism();

type Thread = { worker: Worker; task: Waiting | null };
type Waiting = HashTask & {
  shop: string;
  /** In iterations of virtual time: when the store's share of the threads reaches this task. */
  startTag: number;
  resolve(hash: Buffer): void;
  reject(error: Error): void;
};

/** In order of arrival. */
const waiting: Waiting[] = [];
const threads: Thread[] = [];
/** The end of each store's last task in virtual time; only of stores that are ahead of it. */
const finishTags = new Map<string, number>();
/** The start tag of the task that was started last. */
let virtualTime = 0;
let lastId = 0;

/**
 * 32 bytes of PBKDF2-HMAC-SHA-256, computed for a store. Throws `busy` (503), at once or while it
 * waits, when the store has more than its share of a full queue.
 */
export function derive(task: {
  shop: string;
  password: string;
  salt: Uint8Array;
  iterations: number;
}): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING) makeRoom(task.shop);
  return new Promise((resolve, reject) => {
    const startTag = Math.max(virtualTime, finishTags.get(task.shop) ?? 0);
    finishTags.set(task.shop, startTag + task.iterations);
    waiting.push({ ...task, id: (lastId += 1), startTag, resolve, reject });
    dispatch();
  });
}

/**
 * Rejects the newest task of the store with the most waiting tasks, which may be the arriving one.
 */
function makeRoom(arriving: string): void {
  const counts = new Map<string, number>([[arriving, 1]]);
  for (const { shop } of waiting) counts.set(shop, (counts.get(shop) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const busy = new AppError("busy", { headers: { "Retry-After": "2" } });
  if (counts.get(arriving) === most) throw busy;
  const index = waiting.findLastIndex(({ shop }) => counts.get(shop) === most);
  const [refused] = waiting.splice(index, 1) as [Waiting];
  finishTags.set(refused.shop, refused.startTag);
  refused.reject(busy);
}

function takeNext(): Waiting {
  const next = waiting.reduce((first, task) => (task.startTag < first.startTag ? task : first));
  waiting.splice(waiting.indexOf(next), 1);
  virtualTime = next.startTag;
  for (const [shop, tag] of finishTags) if (tag <= virtualTime) finishTags.delete(shop);
  return next;
}

function dispatch(): void {
  if (waiting.length === 0 && threads.every(({ task }) => task === null)) {
    // No store is waiting: earlier usage no longer counts.
    virtualTime = 0;
    finishTags.clear();
  }
  while (waiting.length > 0) {
    const thread = threads.find(({ task }) => task === null) ?? addThread();
    if (!thread) return;
    const task = takeNext();
    thread.task = task;
    thread.worker.ref();
    const { id, password, salt, iterations } = task;
    const hashTask: HashTask = { id, password, salt, iterations };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.worker.postMessage(hashTask);
  }
}

function addThread(): Thread | null {
  if (threads.length >= MAX_THREADS) return null;
  const worker = new Worker(new URL("./password-thread.ts", import.meta.url));
  // An idle thread must not keep the process alive.
  worker.unref();
  const thread: Thread = { worker, task: null };
  threads.push(thread);
  worker.on("message", ({ hash }: HashAnswer) => {
    thread.task?.resolve(Buffer.from(hash));
    thread.task = null;
    worker.unref();
    dispatch();
  });
  worker.on("error", (error: Error) => {
    threads.splice(threads.indexOf(thread), 1);
    thread.task?.reject(error);
    dispatch();
  });
  return thread;
}
