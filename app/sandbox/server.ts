/** Starts the sandbox: every outside system as a real HTTP server on one loopback port. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLiveConsole } from "./console/live/live-console.ts";
import { createPlayground } from "./console/playground/playground.ts";
import { addressesAt, createSystems, initialState } from "./create-systems.ts";
import { createFaultBook } from "./faults.ts";
import { createListener, reportingErrors } from "./listener.ts";
import { createObservers } from "./observers.ts";
import { createRequestLog, type ObservedRequest } from "./request-log.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { openStateFile } from "./state-file.ts";

export type { Sandbox, SandboxOptions } from "./sandbox.ts";

// Longer than any client keeps an idle connection, so that none is closed while a request is sent.
const KEEP_ALIVE_MS = 65_000;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { app } = options;
  const appUrl = (): string => (typeof app.url === "function" ? app.url() : app.url);
  const { state, saving, close: closeFile } = openStateFile(options.stateFile, initialState());
  const stopping = new AbortController();
  const stopped = stopping.signal;
  let url = "";
  const addresses = { url: () => url, appUrl };
  const systems = createSystems({ state, saving, options, addresses, stopped });
  const faults = createFaultBook();
  const log = createRequestLog();
  const observers = createObservers<ObservedRequest>();

  const server = createServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  url = await listen(server, options.port ?? 0);

  const sandbox: Sandbox = {
    url,
    addresses: addressesAt(url),
    ...systems,
    failNext: (system, fault, times) => faults.failNext(system, fault, times),
    clearFaults: (system) => faults.clear(system),
    standingFault: (system) => faults.standing(system),
    hasWaitingFault: () => faults.isWaiting(),
    requests: (system) => log.requests(system),
    onRequest: (listener) => observers.add(listener),
    stateOf: (system) =>
      system === "customerAccounts"
        ? { signIns: systems.customerAccounts.signIns() }
        : state[system],
    appUrl,
    async stop() {
      stopping.abort();
      live.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      closeFile();
    },
  };
  const live = createLiveConsole(sandbox, { ...options.console, stopped });
  const playground = createPlayground(sandbox, {
    shop: () => live.shop(),
    ...(options.console?.adminKey !== undefined && { adminKey: options.console.adminKey }),
  });
  const own = { sandbox, live, playground, clientSecret: app.clientSecret };
  const listener = createListener({ systems, own, faults, log, observers, stopped });
  server.on("request", reportingErrors(listener));
  return sandbox;
}

/** Listens on the loopback address; returns the server's own. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
