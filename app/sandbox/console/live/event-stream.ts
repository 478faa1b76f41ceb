/** Server-sent events to every open console. */
import type { ServerResponse } from "node:http";

export type EventStream = {
  /** Answers with a stream that begins with these events. */
  open(response: ServerResponse, first: (readonly [event: string, data: unknown])[]): void;
  send(event: string, data: unknown): void;
  size(): number;
  close(): void;
};

/** A program that opens streams without end must not hold the demo's memory. */
const MAX_STREAMS = 50;
/** Proxies and browsers take a silent connection for a dead one. */
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 1_000;

export function createEventStream(options: { onFirst(): void; onLast(): void }): EventStream {
  const open = new Set<ServerResponse>();
  let heartbeat: NodeJS.Timeout | undefined;
  // A JSON text has no line break, so that one line is one event.
  const frame = (event: string, data: unknown) =>
    `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const leave = (response: ServerResponse): void => {
    if (!open.delete(response) || open.size > 0) return;
    clearInterval(heartbeat);
    options.onLast();
  };
  return {
    open(response, first) {
      if (open.size >= MAX_STREAMS) {
        response.writeHead(503, { "retry-after": "5" }).end();
        return;
      }
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      response.write(`retry: ${RECONNECT_MS}\n\n`);
      for (const [event, data] of first) response.write(frame(event, data));
      open.add(response);
      response.once("close", () => leave(response));
      if (open.size > 1) return;
      heartbeat = setInterval(() => {
        for (const one of open) one.write(": here\n\n");
      }, HEARTBEAT_MS);
      heartbeat.unref();
      options.onFirst();
    },
    send(event, data) {
      if (open.size === 0) return;
      const text = frame(event, data);
      for (const response of open) {
        // A reader that does not keep up starts again with the current state.
        if (response.writableLength > 1024 * 1024) response.destroy();
        else response.write(text);
      }
    },
    size: () => open.size,
    close() {
      for (const response of open) response.end();
    },
  };
}
