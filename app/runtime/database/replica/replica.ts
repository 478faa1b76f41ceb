// A standby that serves reads of the primary's data. A statement runs there only when the standby has replayed
// everything that the primary had written when the read began; else on the primary. So nobody, whichever process
// served the write, reads less than on the primary (docs/decisions/047-replicas.md).
import pg from "pg";
import type { Log } from "../../log.ts";
import { replicaReads } from "../../telemetry/metrics.ts";
import { connectionTo, DatabaseClient } from "../connection/client.ts";
import { watchConnections } from "../connection/socket-watchdog.ts";
import { hasReplayed, readPrimaryPosition, readReplicaState, type Position } from "./position.ts";

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
/** How long the replica is left alone after it was behind, or did not serve. */
const PAUSE_MS = { behind: 1_000, away: 5_000, unfit: 30_000 };
const MAX_PAUSE_MS = 60_000;
/** A problem that comes back within this time is not logged again. */
const LOG_AGAIN_MS = 60_000;

type Problem = keyof typeof PAUSE_MS;

/** Longer with each time in a row that the replica did not answer: finding that out takes somebody's read seconds. */
export const pauseMs = (problem: Problem, timesInARow: number): number =>
  problem === "away"
    ? Math.min(PAUSE_MS.away * 2 ** (timesInARow - 1), MAX_PAUSE_MS)
    : PAUSE_MS[problem];

class NotServed extends Error {
  readonly problem: Problem;
  constructor(problem: Problem, message: string) {
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
  let pausedUntil = -Infinity;
  let logged: Problem | null = null;
  let failedAt = -Infinity;
  let timesInARow = 0;

  function pause(next: Problem, reason: string): void {
    failedAt = performance.now();
    // Reads that failed together count once.
    if (failedAt >= pausedUntil) timesInARow += 1;
    pausedUntil = failedAt + pauseMs(next, timesInARow);
    if (logged === next) return;
    logged = next;
    log.warn("database.replica_not_used", { region, problem: next, reason });
  }
  function succeed(): void {
    timesInARow = 0;
    replicaReads.inc({ region, served_by: "replica" });
    if (logged === null || performance.now() - failedAt < LOG_AGAIN_MS) return;
    logged = null;
    log.info("database.replica_used", { region });
  }

  async function query(...args: unknown[]): Promise<unknown> {
    if (required && performance.now() >= pausedUntil)
      try {
        const result = await onReplica(required, args);
        succeed();
        return result;
      } catch (error) {
        // The primary decides whether it is the statement's own fault. A read has no effect: it may run twice.
        const { code, message } = error as Error & { code?: string };
        if (error instanceof NotServed) pause(error.problem, message);
        else if (!isOfStatement(code)) pause("away", message);
      }
    replicaReads.inc({ region, served_by: "primary" });
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
      if (performance.now() < pausedUntil) {
        replicaReads.inc({ region, served_by: "primary" });
        return false;
      }
      const asked = await readPrimaryPosition(primary);
      // When reads are concurrent, the newest position counts; a promoted primary begins anew.
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
