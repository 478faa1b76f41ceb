// Ingest rates compared with other durable queues: each behind the same bare node:http server with
// one add per POST, ours with its whole contract (signature, tenant, idempotency, ledger, rows).
// Ratios within one run, in interleaved rounds. A peer that cannot be installed or started here is
// skipped with a message.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { startChild, type Child } from "../support/processes/child.ts";
import { prepareEvents } from "./events.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure } from "./side.ts";
import { runSocketRound } from "./load/socket-load.ts";

const ROUNDS = 4;
const ROUND_SECONDS = 3;
const CONNECTIONS = 64;
const PREPARED = 60_000;
const PEERS = resolve(import.meta.dirname, "peers/bus");
const STARTS_WITHIN_MS = 60_000;

/** `target`: the goal for our rate divided by the peer's. */
const CONTENDERS = [
  { name: "pg-boss", script: "pg-boss.js", says: "pg-boss 12.35.0", target: 4 },
  { name: "bullmq", script: "bullmq.js", says: "BullMQ 6.7.0 on Postgres", target: 4 },
  { name: "restate", script: "restate.js", says: "Restate 1.7.12", target: 1 },
] as const;

const leaveOut = (what: string, why: string) =>
  process.stdout.write(`(left out: ${what}, because ${why})\n`);

function ensurePeers(): boolean {
  const isThere = () => existsSync(join(PEERS, "node_modules/pg-boss"));
  if (!isThere())
    spawnSync(
      "npm",
      ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
      { cwd: PEERS, stdio: "ignore", timeout: 180_000 },
    );
  return isThere();
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return serverUrl.replace(/\/[^/]+$/, `/${name}`);
}

type Contender = { says: string; target: number; url: string; child: Child };

async function startPeers(serverUrl: string, dataDir: string): Promise<Contender[]> {
  const started: Contender[] = [];
  for (const { name, script, says, target } of CONTENDERS) {
    const databaseUrl = await createDatabase(serverUrl, `peer_${name.replace("-", "_")}`);
    const child = startChild(`tests/bench/peers/bus/${script}`, {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
    });
    try {
      const [, url = ""] = await child.line(
        "its address",
        /^listening on (\S+)$/,
        STARTS_WITHIN_MS,
      );
      started.push({ says, target, url, child });
    } catch (error) {
      child.signal("SIGTERM");
      leaveOut(says, `it does not start here: ${(error as Error).message.slice(0, 300)}`);
    }
  }
  return started;
}

export async function benchPeers(serverUrl: string): Promise<Measure[]> {
  leaveOut(
    "Medusa's event bus on BullMQ",
    "it needs a Redis server, which this benchmark does not bring",
  );
  if (!ensurePeers()) {
    leaveOut("every other queue", "the registry cannot be reached");
    return [];
  }
  const dataDir = mkdtempSync(join(tmpdir(), "customer-identity-bench-restate-"));
  const peers = await startPeers(serverUrl, dataDir);
  const side = await startSide(serverUrl, "bench_peers", "web");
  const urls = [side.server.url, ...peers.map(({ url }) => url)];
  const rounds: number[][] = urls.map(() => []);
  for (let n = 0; n <= ROUNDS; n += 1)
    for (const index of n % 2 ? urls.keys() : [...urls.keys()].toReversed()) {
      const round = await runSocketRound(
        urls[index] as string,
        ROUND_SECONDS,
        CONNECTIONS,
        prepareEvents(PREPARED),
      );
      if (round.refused > 0)
        throw new Error(
          `${round.refused} requests were not answered with 2xx: the figures would mean nothing`,
        );
      if (index === 0) await side.db.query("TRUNCATE integration_queue");
      // The first round warms all of them up.
      if (n > 0) rounds[index]?.push(round.perSecond);
    }
  for (const { child } of peers) {
    child.signal("SIGTERM");
    await child.ended;
  }
  await stopSide(side);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  const medians = rounds.map((list) => percentile(list, 0.5));
  process.stdout.write(
    `(to read the ratios by: ours ${Math.round(medians[0] as number)}/s, ${peers.map(({ says }, index) => `${says} ${Math.round(medians[index + 1] as number)}/s`).join(", ")})\n`,
  );
  return peers.map(({ says, target }, index) => ({
    name: `ingest_against_${says.split(" ")[0]?.toLowerCase()}`,
    value: (medians[0] as number) / (medians[index + 1] as number),
    bound: `${says}, one add per POST (more is better, target ${target})`,
    floor: (value) => value >= target / 2,
  }));
}
