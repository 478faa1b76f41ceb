// Postgres itself stops under a load of events: shut down, and killed with all its processes. None
// of our processes is restarted.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { startSandbox, type Sandbox } from "../../app/sandbox/server.ts";
import { endChildren, startServer, type Child } from "../support/processes/child.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../support/processes/database-proxy.ts";
import {
  killServer,
  newFolder,
  removeFolder,
  rows as query,
} from "../support/processes/embedded-postgres.ts";
import { ERP_FIELDS, startErpReceiver, type ErpReceiver } from "../support/bus/erp-receiver.ts";
import { startEventLoad } from "../support/bus/event-load.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  CLIENT_ID,
  eventually,
  SHOP,
  testEnvironment,
} from "../support/service.ts";
import { countByStatus } from "../support/bus/webhook-load.ts";

/** The test asserts what happens, not how soon: a busy machine may take longer. */
const PATIENCE_MS = 60_000;

let folder: string;
let postgres: EmbeddedPostgres;
let line: DatabaseProxy | undefined;
let sandbox: Sandbox;
let erp: ErpReceiver;
let service: Child & { url: string };

/** Starts Postgres again at the same address. */
async function startPostgres(): Promise<void> {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "app" });
  line?.leadTo(postgres.url);
}

beforeAll(async () => {
  folder = await newFolder();
  await startPostgres();
  line = await startDatabaseProxy(postgres.url);
  sandbox = await startSandbox({
    app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET },
  });
  erp = await startErpReceiver();
  service = await startServer({
    ...testEnvironment(sandbox, line.url),
    BASE_URL: "https://service.example",
    ROLES: "web,worker",
  });
  const answer = await fetch(`${service.url}/config?shop=${SHOP}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify({ ...ERP_FIELDS, erp_base_url: erp.url }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
});
afterAll(async () => {
  await endChildren();
  await Promise.all([sandbox.stop(), erp.stop(), line?.stop(), postgres.stop()]);
  await removeFolder(folder);
});

/** So that nothing more is written. */
async function killPostgres(): Promise<void> {
  await killServer(postgres.pid);
  await postgres.stop();
}

test.each([
  ["shut down", () => postgres.stop()],
  ["killed with all its processes", killPostgres],
])(
  "Postgres is %s under load and started again: no acknowledged event is lost or stored twice, all are delivered without using up an attempt, and the service recovers by itself",
  async (how, end) => {
    const load = startEventLoad(() => service.url);
    await eventually("acknowledgements", () => load.accepted() > 150, PATIENCE_MS);
    await end();
    const awayAt = performance.now();
    const whileAway = () => load.sent.filter(({ begunAt }) => begunAt > awayAt);
    await eventually("refusals", () => whileAway().length >= 30, PATIENCE_MS);
    expect(whileAway().filter(({ status }) => status !== 503)).toEqual([]);
    await startPostgres();
    const backAt = performance.now();
    const before = load.accepted();
    await eventually("acknowledgements again", () => load.accepted() > before + 150, PATIENCE_MS);
    const sent = await load.stop();
    const firstAgain =
      Math.min(
        ...sent
          .filter(({ status, endedAt }) => status === 202 && endedAt > backAt)
          .map(({ endedAt }) => endedAt),
      ) - backAt;

    const acknowledged = sent.filter(({ status }) => status === 202).map(({ eventId }) => eventId);
    type Row = { event_id: string; status: string; retry_count: number; last_error: string | null };
    const list = async () =>
      (await query(
        postgres.url,
        "SELECT event_id, status, retry_count, last_error FROM integration_queue WHERE channel = 'erpsys'",
      )) as Row[];
    const delivered = await eventually(
      "everything delivered",
      async () => {
        const all = await list();
        return all.every(({ status, retry_count: n }) => status === "delivered" || n > 0) && all;
      },
      PATIENCE_MS,
    );
    const stored = new Set(delivered.map(({ event_id }) => event_id));
    const lost = acknowledged.filter((id) => !stored.has(id));
    process.stdout.write(
      `Postgres ${how}: answers ${JSON.stringify(countByStatus(sent))}, acknowledged and lost ${lost.length}, first acknowledgement ${Math.round(firstAgain)} ms after it was back, arrived twice in all ${erp.twice()}\n`,
    );
    expect(lost).toEqual([]);
    expect(delivered).toHaveLength(stored.size);
    expect(
      delivered.filter(({ status, retry_count: n }) => status !== "delivered" || n > 0),
    ).toEqual([]);
    expect(acknowledged.filter((id) => !erp.received.includes(id))).toEqual([]);
    expect(
      Object.keys(countByStatus(sent)).filter((status) => status !== "202" && status !== "503"),
    ).toEqual([]);
    expect(service.hasEnded()).toBe(false);
  },
  150_000,
);
