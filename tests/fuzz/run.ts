// `npm run fuzz`: sends hostile requests to every route of a whole service process, and fails on
// forbidden responses.
//
//   npm run fuzz -- --seconds 120          duration (120)
//   npm run fuzz -- --seed 42              repeats the requests of an earlier run (default: a new seed)
//   npm run fuzz -- --path /auth/login     one route only
import { mkdtemp, chmod, rm } from "node:fs/promises";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { endChildren } from "../support/processes/child.ts";
import { createChance } from "./random.ts";
import { makeRequest, readOperations, type Operation, type Request } from "./requests.ts";
import { findFaults, SLOWEST_MS } from "./verdict.ts";
import { startTestApp, type TestApp } from "./test-app.ts";

const AT_ONCE = 4;
/** The timeout of a request. */
const PATIENCE_MS = 4 * SLOWEST_MS;
const REQUESTS_BETWEEN_RENEWALS = 400;
const MAX_FAULTS = 20;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const endsAt = performance.now() + Number(values.seconds) * 1_000;

type Fault = { index: number; request: Request; faults: string[]; text: string };
const faults: Fault[] = [];
const statuses = new Map<number, number>();
let sent = 0;

async function send(app: TestApp, index: number, operation: Operation): Promise<void> {
  const request = makeRequest(app, operation, createChance(seed, index));
  const started = performance.now();
  const add = (found: string[], text: string) => {
    if (found.length > 0) faults.push({ index, request, faults: found, text });
  };
  try {
    const response = await fetch(app.url + request.address, {
      method: request.method,
      headers: request.headers,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(request.body && { body: new Uint8Array(request.body) }),
    });
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const heard = {
      method: request.method,
      status: response.status,
      headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n"),
      text,
      ms: performance.now() - started,
    };
    add(findFaults(heard, request.credential), text.slice(0, 300));
  } catch (error) {
    // The server may close the connection of a body that it does not read to its end.
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    const isRefusedBody = cause === "UND_ERR_SOCKET" || cause === "ECONNRESET" || cause === "EPIPE";
    const isUnsendable = error instanceof TypeError && cause === undefined;
    if (!isRefusedBody && !isUnsendable) add([`had no answer: ${String(error)}`], "");
  }
}

async function attack(app: TestApp): Promise<void> {
  const all = await readOperations(app.url);
  const operations = all.filter(({ path }) => !values.path || path === values.path);
  if (operations.length === 0) throw new Error(`no route has the path ${values.path}`);
  const isOver = () => performance.now() > endsAt || faults.length >= MAX_FAULTS;
  while (!isOver()) {
    await app.renew();
    const until = sent + REQUESTS_BETWEEN_RENEWALS;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (sent < until && !isOver()) {
          const index = sent;
          sent += 1;
          await send(app, index, operations[index % operations.length] as Operation);
        }
      }),
    );
    if (app.side.server.hasEnded()) throw new Error("the service ended");
  }
}

const folder = await mkdtemp("/var/tmp/customer-identity-fuzz-");
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, "pg"),
  database: "fuzz_home",
});
process.stdout.write(`seed ${seed}\n`);
let app: TestApp | undefined;
try {
  app = await startTestApp(postgres.url);
  await attack(app);
} catch (error) {
  process.stderr.write(`${String(error)}\n${app?.side.server.err() ?? ""}\n`);
  process.exitCode = 1;
} finally {
  await app?.stop();
  await endChildren();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

for (const { index, request, faults: found, text } of faults.toSorted(
  (a, b) => a.index - b.index,
)) {
  process.stdout.write(
    [
      `\nrequest ${index} of seed ${seed}, as ${request.credential}: ${found.join("; ")}`,
      `  ${request.method} ${request.address.slice(0, 300)}`,
      `  ${JSON.stringify({ ...request.headers, Authorization: undefined }).slice(0, 400)}`,
      `  ${request.body ? request.body.toString().slice(0, 400) : "no body"}`,
      `  answer: ${text}\n`,
    ].join("\n"),
  );
}
const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
process.stdout.write(
  `${sent} requests, ${counts.join(", ")}; faults ${faults.length}; seed ${seed}\n`,
);
if (faults.length > 0) process.exitCode = 1;
