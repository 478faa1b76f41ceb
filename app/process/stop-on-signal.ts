// SIGTERM and SIGINT: finish what has begun, begin nothing new, and end with exit code 0.
//
//   grace: not ready, still serving -> work and requests end -> cut off what does not -> close -> exit
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../context.server.ts";
import type { OpenPort } from "./open-port.ts";

/** Requests and work that have not ended by then are cut off. */
const FINISH_WITHIN_MS = 25_000;
/** The process ends by then, with exit code 1 if connections are still open. */
const STOP_WITHIN_MS = 30_000;

export type Stop = () => Promise<unknown>;

export function stopOnSignal(
  ctx: Ctx,
  {
    http,
    work,
    stops,
  }: {
    http: OpenPort;
    /** Ended while requests still run: a slow request would otherwise keep the workers taking new rows. */
    work: readonly Stop[];
    /** Called one after the other, once nothing needs them any more. */
    stops: readonly Stop[];
  },
): void {
  const { log } = ctx;
  const attempt = (step: Stop) =>
    step().catch((error: unknown) => log.error("process.stop_failed", error));
  let grace: AbortController | null = null;

  const stop = async (signal: string) => {
    // A second signal comes from somebody who does not want to wait.
    if (grace) return grace.abort();
    grace = new AbortController();
    ctx.startDraining();
    log.info("process.stopping", { signal });
    if (signal === "SIGTERM" && isBalanced(ctx)) await graceTime(ctx, grace.signal);
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    const closed = closeServer(http);
    ctx.beginStop();
    const finished = Promise.all([closed, ...work.map(attempt)]).then(() => true);
    if (!(await Promise.race([finished, delay(FINISH_WITHIN_MS, false)]))) {
      log.warn("process.stop_cut", { requests: http.answering.all().length });
      http.server.closeAllConnections();
    }
    for (const step of stops) await attempt(step);
    process.exit(0);
  };

  // Development tools register handlers of their own that end the process before it has drained.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.removeAllListeners(signal).on(signal, () => void stop(signal));
}

/** A load balancer needs time to see that the process is not ready; a person at a terminal has none. */
const isBalanced = ({ config }: Ctx): boolean =>
  config.roles.has("web") && !config.isSandbox && !config.isDevelopment;

const graceTime = ({ config }: Ctx, signal: AbortSignal): Promise<void> =>
  delay(config.STOP_GRACE_SECONDS * 1_000, undefined, { signal }).catch(() => undefined);

/**
 * Ends once no connection is open. Those with a request close after their response. Node's
 * `closeIdleConnections` would leave those open that have not sent a whole request.
 */
function closeServer({ server, answering, closeUnused }: OpenPort): Promise<void> {
  for (const response of answering.all())
    if (!response.headersSent) response.setHeader("Connection", "close");
  server.prependListener("request", (_request, response) =>
    response.setHeader("Connection", "close"),
  );
  const closing = setInterval(closeUnused, 100);
  return new Promise((closed) =>
    server.close(() => {
      clearInterval(closing);
      closed();
    }),
  );
}
