// The port, opened before anything else is started.
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Config } from "../runtime/config.ts";
import { AppError } from "../runtime/errors.ts";
import { createSlotPool, type SlotPool } from "../runtime/slot-pool.ts";
import { LIVE } from "../runtime/version.ts";
import { endStalledClients, STALLED_MS } from "./stalled-clients.ts";
import { explainListening } from "./start-error.ts";
import { refuse, refuseUnreadable, withOneHost } from "./unreadable-requests.ts";

export type OpenPort = {
  server: Server;
  port: number;
  /** The responses that are not finished. */
  answering: SlotPool<ServerResponse>;
  /** Closes the connections without a request: idle, silent, or with half of its headers sent. */
  closeUnused(): void;
  /** Requests get 503 until then. */
  serve(listener: RequestListener): void;
};

/** A busy port is found before a database is started. */
export async function openPort(
  config: Pick<Config, "PORT" | "HOST">,
  stalledMs = STALLED_MS,
): Promise<OpenPort> {
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 65_000,
    // `withOneHost` refuses these in the shape of every error.
    requireHostHeader: false,
  });
  const answering = createSlotPool<ServerResponse>();
  const connections = createSlotPool<Socket>();
  server.on("connection", (socket) => socket.once("close", connections.put(socket)));
  server.on("request", (_request, response) => response.once("close", answering.put(response)));
  endStalledClients(server, stalledMs);
  refuseUnreadable(server, answering.all);
  server.on("request", notYet);
  await new Promise<void>((ready, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(explainListening(error, "PORT"));
    });
    server.listen(config.PORT, config.HOST, ready);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    answering,
    closeUnused() {
      const used = new Set(answering.all().map(({ socket }) => socket));
      for (const socket of connections.all()) if (!used.has(socket)) socket.destroy();
    },
    serve: (listener) => void server.off("request", notYet).on("request", withOneHost(listener)),
  };
}

/** Alive while it waits for its database: a restart would not bring that back. */
const notYet: RequestListener = (request, response) => {
  if (request.url === "/health/live")
    return void response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify(LIVE));
  refuse(response, new AppError("starting", { headers: { "Retry-After": "1" } }));
};

/** The listener of a process without the role `web`. */
export const servesNoPages: RequestListener = (_request, response) =>
  refuse(response, new AppError("not_found", { message: "This process serves no pages." }));
