// PBKDF2 on threads of its own, below the priority of everything else: a flood of sign-ins fills the spare time of the
// cores, and the event loop, which serves everybody else, is scheduled first. The queue is bounded.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { AppError } from "../../runtime/errors.ts";

export type HashTask = { id: number; password: string; salt: Uint8Array; iterations: number };
export type HashAnswer = { id: number; hash: Uint8Array };

const MAX_WAITING = 64;
/** As many as cores: one more gains no sign-ins and costs everybody else their turn. */
const MAX_THREADS = availableParallelism();

type Thread = { worker: Worker; task: Waiting | null };
type Waiting = HashTask & { resolve(hash: Buffer): void; reject(error: Error): void };

const waiting: Waiting[] = [];
const threads: Thread[] = [];
let lastId = 0;

/** 32 bytes of PBKDF2-HMAC-SHA-256. Throws `busy` (503) when too many are waiting. */
export function derive(password: string, salt: Uint8Array, iterations: number): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING)
    throw new AppError("busy", { headers: { "Retry-After": "2" } });
  return new Promise((resolve, reject) => {
    waiting.push({ id: (lastId += 1), password, salt, iterations, resolve, reject });
    dispatch();
  });
}

function dispatch(): void {
  while (waiting.length > 0) {
    const thread = threads.find(({ task }) => task === null) ?? addThread();
    if (!thread) return;
    const task = waiting.shift() as Waiting;
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
