// A standby that serves reads of the primary's data. A statement runs there only when the standby has replayed
// everything that the primary had written when the read began; else on the primary. So nobody, whichever process
// served the write, reads less than on the primary (docs/decisions/047-replicas.md).
import pg from "pg";
import type { Log } from "../../log.ts";
import { connectionTo, DatabaseClient } from "../connection/client.ts";
import { watchConnections } from "../connection/socket-watchdog.ts";
import { hasReplayed, readPrimaryPosition, readReplicaState, type Position } from "./position.ts";
import { createReplicaUse, type ReplicaProblem } from "./replica-use.ts";

export type Replica = {
  /**
   * Asks the primary for its position: what `pool` serves from then on is at least as new. False while the
   * replica is left alone: the read belongs to the primary.
   */
  begin(): Promise<boolean>;
  /** Reads the replica, or the primary where the replica cannot. Has no transactions of its own. */
  pool: pg.Pool;
  close(): Promise<void>;
};

/** How long a statement waits for the replica to catch up. */
const WAIT_MS = 200;
const POLL_MS = { first: 2, longest: 25 };
class NotServed extends Error {
  readonly problem: ReplicaProblem;
  constructor(problem: ReplicaProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Knows how far its server is. Each connection asks for itself: they may lead to different standbys. */
class ReplicaClient extends DatabaseClient {
  replayed: Position | null = null;
}

export type ReplicaOptions = {
  url: string;
  primary: pg.Pool;
  region: string;
  poolSize: number;
  queryTimeoutMs: number;
  log: Log;
};

export function openReplica({
  url,
  primary,
  region,
  poolSize,
  queryTimeoutMs,
  log,
}: ReplicaOptions): Replica {
  const replica = new pg.Pool({
    application_name: "customer-identity-service",
    connectionTimeoutMillis: 2_000,
    ...connectionTo(url),
    max: poolSize,
    idleTimeoutMillis: 30_000,
    Client: ReplicaClient as unknown as new () => pg.ClientBase,
  });
  const watch = watchConnections(replica, queryTimeoutMs);
  replica.on("error", () => {});
  let required: Position | null = null;
  const use = createReplicaUse(region, log);

  async function query(...args: unknown[]): Promise<unknown> {
    if (required && !use.isPaused())
      try {
        const result = await onReplica(required, args);
        use.succeeded();
        return result;
      } catch (error) {
        // The primary decides whether it is the statement's own fault. A read has no effect: it may run twice.
        const { code, message } = error as Error & { code?: string };
        if (error instanceof NotServed) use.pause(error.problem, message);
        else if (!isOfStatement(code)) use.pause("away", message);
      }
    use.leftToPrimary();
    return ask(primary, args);
  }

  async function onReplica(position: Position, args: unknown[]): Promise<unknown> {
    const client = await replica.connect();
    let failure: Error | undefined;
    try {
      await untilReplayed(client as unknown as ReplicaClient, position);
      return await ask(client, args);
    } catch (error) {
      if (!(error instanceof NotServed && error.problem === "behind")) failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  return {
    async begin() {
      if (use.isPaused()) {
        use.leftToPrimary();
        return false;
      }
      const asked = await readPrimaryPosition(primary);
      // When reads are concurrent, the newest position counts; a promoted primary starts over.
      if (required?.timeline !== asked.timeline || asked.written > required.written)
        required = asked;
      return true;
    },
    pool: new Proxy(primary, {
      get(target, name) {
        if (name === "query") return query;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    }),
    async close() {
      watch.stop();
      await replica.end();
    },
  };
}

/** The forms of `query` are the library's own, and Prisma's. */
const ask = (on: pg.Pool | pg.PoolClient, args: unknown[]): Promise<unknown> =>
  on.query(...(args as [string]));

/** Not about the server or the connection: a class of 22, 23, 42 and the like, and a refused write. */
const isOfStatement = (code: string | undefined): boolean =>
  code !== undefined && /^(2[0-9A-F]|42|0A|55)/.test(code);

async function untilReplayed(client: ReplicaClient, wanted: Position): Promise<void> {
  const begun = performance.now();
  for (let waitMs = POLL_MS.first; !hasReplayed(client.replayed, wanted);) {
    const { isStandby, position } = await readReplicaState(client);
    if (!isStandby) throw new NotServed("unfit", "the server is no standby");
    if (position.system !== wanted.system || position.database !== wanted.database)
      throw new NotServed("unfit", "the server is no standby of the primary's database");
    if (position.timeline !== wanted.timeline)
      throw new NotServed("unfit", "the server is not known to follow the current primary");
    client.replayed = position;
    if (hasReplayed(position, wanted)) return;
    if (performance.now() - begun > WAIT_MS)
      throw new NotServed("behind", `the replica is more than ${WAIT_MS} ms behind`);
    await new Promise((again) => setTimeout(again, waitMs));
    waitMs = Math.min(waitMs * 2, POLL_MS.longest);
  }
}
