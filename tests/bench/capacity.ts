// What each piece of work costs in processor time, in the service and in Postgres (`npm run
// bench:capacity`): the base of the capacity model in docs/scaling.md. Processor time, unlike a clock,
// hardly depends on what else the machine does. And whether two workers get in each other's way: the
// work of two per processor second, compared with one's.
import { readFileSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { endChildren, startServer, type Child } from "../support/processes/child.ts";
import { sendWebhook } from "../support/bus/webhook-load.ts";
import { eventually, SHOP } from "../support/service.ts";
import { prepareEvents } from "./events.ts";
import { connectErp, fillBacklog, startReceiver, STORES } from "./load/backlog.ts";
import { runSocketRound, wireRequest } from "./load/socket-load.ts";
import { sideEnvironment, startSide, stopSide, type Side } from "./side.ts";

/** The unit of /proc: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const SECONDS = 4;
const CONNECTIONS = 16;
const DELIVERIES = 10_000;
const WEBHOOKS = 1_500;
const LOOK_MS = 250;
const PASSWORD = "correct horse battery";
/** Two workers do less than this per processor second: they wait for each other. */
const MIN_TOGETHER = 0.9;

/** What one piece of work takes, in microseconds of one core. */
type Cost = { service: number; database: number };

/** Processor time of a process with all its threads, in seconds; with `andEnded` of its ended children too. */
function processorSeconds(pid: number, andEnded = false): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return 0;
  }
  // After the name, which may contain spaces: utime, stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, andEnded ? 15 : 13).map(Number);
  return ticks.reduce((sum, tick) => sum + tick, 0) / TICKS_PER_SECOND;
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => {
      try {
        const stat = readFileSync(`/proc/${candidate}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid;
      } catch {
        return false;
      }
    });
}

/** Postgres has one process per connection; those that ended count with the first one. */
const databaseSeconds = (postmaster: number): number =>
  childrenOf(postmaster).reduce(
    (sum, pid) => sum + processorSeconds(pid),
    processorSeconds(postmaster, true),
  );

async function measure(
  { processes, postmaster }: { processes: readonly Child[]; postmaster: number },
  work: () => Promise<number>,
): Promise<Cost> {
  const read = () => ({
    service: processes.reduce((sum, { pid }) => sum + processorSeconds(pid), 0),
    database: databaseSeconds(postmaster),
  });
  const before = read();
  const count = await work();
  const after = read();
  return {
    service: ((after.service - before.service) * 1e6) / count,
    database: ((after.database - before.database) * 1e6) / count,
  };
}

/** Requests that keep `CONNECTIONS` busy for some seconds; returns how many were answered. */
async function requestsOf(url: string, next: () => Buffer | null): Promise<number> {
  const round = await runSocketRound(url, SECONDS, CONNECTIONS, next);
  if (round.refused > 0) throw new Error(`${round.refused} requests were refused`);
  return round.perSecond * SECONDS;
}

async function signUp({ server }: Side, n: number): Promise<string> {
  const answer = await fetch(`${server.url}/auth/signup?shop=${SHOP}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      email: `person-${n}@example.com`,
      password: PASSWORD,
      consent_tos: true,
      consent_privacy: true,
    }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return ((await answer.json()) as { token: string }).token;
}

const isSettled = async ({ db }: Side) =>
  (
    await db.query(
      `SELECT 1 FROM webhook_inbox WHERE status <> 'done'
       UNION ALL SELECT 1 FROM integration_queue WHERE status <> 'delivered' LIMIT 1`,
    )
  ).rowCount === 0;

/** Looks seldom: each look reads the whole queue, and its cost counts as the work's. */
const untilSettled = (side: Side, what: string) =>
  eventually(
    what,
    async () => {
      await delay(LOOK_MS);
      return isSettled(side);
    },
    300_000,
  );

async function measureRequests(side: Side, postmaster: number): Promise<Record<string, Cost>> {
  const { server } = side;
  const web = { processes: [server], postmaster };
  const people = await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => signUp(side, n)));
  let turn = 0;
  const request = (path: string, headers: Record<string, string>, body?: object) =>
    wireRequest(path, headers, body && JSON.stringify(body));
  const asPerson = (path: string, body?: (n: number) => object) => () => {
    const n = (turn += 1);
    const token = people[n % people.length] as string;
    return request(path, { Authorization: `Bearer ${token}` }, body?.(n));
  };
  const cost = (next: () => Buffer | null) => measure(web, () => requestsOf(server.url, next));
  const costs: Record<string, Cost> = {
    "event accepted": await cost(prepareEvents(60_000)),
    "session check (`GET /auth/me`)": await cost(asPerson("/auth/me")),
    "consent recorded (`POST /auth/consent-sync`)": await cost(
      asPerson("/auth/consent-sync", (n) => ({
        consent_marketing: n % 2 === 0,
        consent_cookie: n % 3 === 0,
        method: "compliance-page",
      })),
    ),
    "sign-in (`POST /auth/login`)": await cost(() => {
      turn += 1;
      const email = `person-${turn % people.length}@example.com`;
      return request(`/auth/login?shop=${SHOP}`, {}, { email, password: PASSWORD });
    }),
  };
  await side.db.query("TRUNCATE integration_queue, delivery_attempts");
  return costs;
}

/** Some workers drain a backlog; what their start costs does not count. */
async function drain(side: Side, count: number, postmaster: number): Promise<Cost> {
  await side.db.query("TRUNCATE integration_queue, delivery_attempts, channel_minutes");
  const environment = { ...sideEnvironment(side), ROLES: "worker" };
  const workers = await Promise.all(Array.from({ length: count }, () => startServer(environment)));
  const cost = await measure({ processes: workers, postmaster }, async () => {
    await fillBacklog(side, DELIVERIES);
    await untilSettled(side, "the backlog drained");
    return DELIVERIES;
  });
  for (const worker of workers) {
    worker.signal("SIGKILL");
    await worker.ended;
  }
  return cost;
}

/**
 * From the webhook to the deliveries at three systems. In a store whose tables have statistics, as
 * autovacuum makes them within a minute.
 */
async function measureWebhooks(side: Side, postmaster: number): Promise<Cost> {
  const worker = await startServer({ ...sideEnvironment(side), ROLES: "worker" });
  const send = async (from: number, count: number) => {
    for (let n = from; n < from + count; n += CONNECTIONS)
      await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, k) => sendWebhook(side.server.url, n + k)),
      );
    await untilSettled(side, "every delivery");
    return count;
  };
  await send(10_000_000, CONNECTIONS * 4);
  await side.db.query("ANALYZE");
  const cost = await measure({ processes: [side.server, worker], postmaster }, () =>
    send(20_000_000, Math.ceil(WEBHOOKS / CONNECTIONS) * CONNECTIONS),
  );
  worker.signal("SIGKILL");
  await worker.ended;
  return cost;
}

const sum = ({ service, database }: Cost) => service + database;

async function run(serverUrl: string, postmaster: number): Promise<boolean> {
  const erp = await startReceiver();
  const side = await startSide(serverUrl, "bench_capacity", "web");
  const costs = await measureRequests(side, postmaster);
  costs["webhook, stored, worked on and delivered to three systems"] = await measureWebhooks(
    side,
    postmaster,
  );
  for (const shop of STORES) await connectErp(side, erp, shop);
  const one = await drain(side, 1, postmaster);
  const two = await drain(side, 2, postmaster);
  costs["delivery to one system"] = one;
  await stopSide(side);
  erp.signal("SIGKILL");

  const width = Math.max(...Object.keys(costs).map(({ length }) => length));
  process.stdout.write(`${"microseconds of one core".padEnd(width)}  service  database\n`);
  for (const [name, { service, database }] of Object.entries(costs))
    process.stdout.write(
      `${name.padEnd(width)}  ${String(Math.round(service)).padStart(7)}  ${String(Math.round(database)).padStart(8)}\n`,
    );
  const together = sum(one) / sum(two);
  process.stdout.write(
    `work per processor second of two workers, as a share of one's: ${together.toFixed(2)} (goal: at least ${MIN_TOGETHER})\n`,
  );
  return together > MIN_TOGETHER / 2;
}

const folder = await mkdtemp("/var/tmp/customer-identity-capacity-");
await chmod(folder, 0o711);
const dataDir = join(folder, "pg");
const postgres = await startEmbeddedPostgres({ dataDir, database: "bench" });
let isSound = false;
try {
  const [pid = ""] = readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n");
  isSound = await run(postgres.url, Number(pid));
} finally {
  await endChildren();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(isSound ? 0 : 1);
