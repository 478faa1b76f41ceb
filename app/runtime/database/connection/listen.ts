// A dedicated connection that receives notifications.
import pg from "pg";
import { clientOf, type DatabaseClient } from "./client.ts";

const RELISTEN_MS = { first: 250, longest: 8_000 };
/** How long a silent connection stands before it is asked for a sign of life, ten times in ten seconds. */
const KEEP_ALIVE_MS = 10_000;

type ListenOptions = {
  url: string;
  /** The database past the pooler; undefined: there is no such address. */
  directUrl: string | undefined;
  connection: pg.ClientConfig;
  channel: string;
  onNotify(payload: string): void;
  onLost(error: Error): void;
  /** Called once, when there is only a pooler: it gives the connection to others between transactions. */
  onUnavailable(): void;
};

export type Listener = { stop(): Promise<void> };

/**
 * Reconnects after every loss until it is stopped, and calls `onNotify` with an empty payload after
 * each (re)connection, when notifications may have been missed.
 */
export async function listen({
  url,
  directUrl,
  connection,
  channel,
  onNotify,
  onLost,
  onUnavailable,
}: ListenOptions): Promise<Listener> {
  let address = url;
  let stopped = false;
  let client: DatabaseClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let wait = RELISTEN_MS.first;

  async function connect(): Promise<void> {
    const next = clientOf(address, {
      ...connection,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    const lost = (error: Error) => {
      next.removeAllListeners();
      next.on("error", () => {});
      void next.end().catch(() => {});
      if (stopped || client !== next) return;
      client = undefined;
      onLost(error);
      again();
    };
    client = next;
    next.on("error", lost);
    next.on("end", () => lost(new Error("the connection ended")));
    next.on("notification", (message) => onNotify(message.payload ?? ""));
    try {
      await next.connect();
      if (next.isPooled && address !== directUrl) {
        client = undefined;
        await next.end();
        return await bypass();
      }
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      wait = RELISTEN_MS.first;
      onNotify("");
    } catch (error) {
      lost(error as Error);
    }
  }
  async function bypass(): Promise<void> {
    if (directUrl === undefined) return onUnavailable();
    address = directUrl;
    if (!stopped) await connect();
  }
  function again(): void {
    if (!stopped) retry = setTimeout(() => void connect(), wait);
    wait = Math.min(wait * 2, RELISTEN_MS.longest);
  }

  await connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.close();
    },
  };
}
