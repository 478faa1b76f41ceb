// Ends the connections of clients that take nothing of their response: each would hold a connection, and what the
// response reads from, for as long as its client wants.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How long a client may take none of the bytes that wait for it. */
export const STALLED_MS = 60_000;

export function endStalledClients(server: Server, stalledMs: number): void {
  server.on("request", (_request, response) =>
    response.setTimeout(stalledMs).on("timeout", (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
      // No bytes wait for the client: the response is not ready.
      else socket.setTimeout(stalledMs);
    }),
  );
}
