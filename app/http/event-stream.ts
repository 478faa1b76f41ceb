// A response that begins before its answer is known, as an event stream (MCP "Streamable HTTP"). The
// handler goes on as for any other response: what it returns is sent as the last event. The status
// is 200 by then, so an error has its body only.
import type { ServerResponse } from "node:http";
import type { ApiResponse } from "./api-response.ts";

export type EventStream = {
  /** For the head of the stream; what every response has is set before the handler runs. */
  headers: ApiResponse["headers"];
  /** Whether the head was sent. */
  readonly isOpen: boolean;
  /** The id of the JSON-RPC request, which also an error of ours must answer. */
  answersTo: string | number | null;
  /** Sends the head before the first event. Nothing happens when the client is gone. */
  send(message: object): void;
  /** The answer, after which nothing follows. */
  end(body: string): void;
};

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // A proxy in front that buffers would keep the events until the end.
  "X-Accel-Buffering": "no",
};

const toEvent = (data: string): string =>
  `event: message\n${data
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}\n`)
    .join("")}\n`;

export function createEventStream(response: ServerResponse): EventStream {
  let isOpen = false;
  return {
    headers: {},
    answersTo: null,
    get isOpen() {
      return isOpen;
    },
    send(message) {
      if (response.destroyed || response.writableEnded) return;
      if (!isOpen) response.writeHead(200, { ...this.headers, ...HEADERS });
      isOpen = true;
      response.write(toEvent(JSON.stringify(message)));
    },
    end(body) {
      response.end(body === "" ? undefined : toEvent(body));
    },
  };
}
