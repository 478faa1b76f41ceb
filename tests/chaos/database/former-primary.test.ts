// A standby is promoted while its primary lives on and accepts writes: who writes there writes what is lost.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf } from "../../../app/runtime/database/connection/client.ts";
import { openDatabase, type Database } from "../../../app/runtime/database/database.ts";
import { isDatabaseAway } from "../../../app/runtime/database/postgres-errors.ts";
import { createLog } from "../../../app/runtime/log.ts";
import {
  startReplicatedPostgres,
  type ReplicatedPostgres,
} from "../../support/failover/replicated-postgres.ts";
import { rows } from "../../support/processes/embedded-postgres.ts";
import { eventually } from "../../support/service.ts";

const CHANNEL = "former_primary";

let postgres: ReplicatedPostgres;
let database: Database;
let ports: { former: number; promoted: number };
const log: { event: string }[] = [];
const notifications: string[] = [];

beforeAll(async () => {
  postgres = await startReplicatedPostgres({ fsync: "off" });
  ports = {
    former: Number(new URL(postgres.primary.url).port),
    promoted: Number(new URL(postgres.standby.url).port),
  };
  database = openDatabase({
    url: postgres.url,
    directUrl: postgres.url,
    region: "default",
    poolSize: 2,
    log: createLog("warn", { write: (line) => void log.push(JSON.parse(line)) }),
  });
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

const portOf = async () =>
  (await database.acrossTenants<{ port: number }>("SELECT inet_server_port() AS port"))[0]!.port;

/** The server that answers, or that none does. */
const portOrAway = () =>
  portOf().catch((error: unknown) => {
    if (isDatabaseAway(error)) return "away";
    throw error;
  });

test("a promotion beside a living primary is noticed: statements and notifications go to the promoted server, and the log names the former one", async () => {
  const listener = await database.listen(CHANNEL, (payload) => notifications.push(payload));
  expect(await portOf()).toBe(ports.former);
  await postgres.promote();
  await eventually("the promoted server", async () => (await portOrAway()) === ports.promoted);
  await eventually("a notification of the promoted server", async () => {
    await rows(postgres.standby.url, `NOTIFY ${CHANNEL}, 'promoted'`);
    return notifications.includes("promoted");
  });
  await eventually("the log", () => log.some(({ event }) => event === "database.former_primary"));
  expect(log).toContainEqual(
    expect.objectContaining({
      event: "database.former_primary",
      region: "default",
      server: `127.0.0.1:${ports.former}`,
    }),
  );
  await listener.stop();
});

test("while the promoted server is silent nothing goes to the former primary, and afterwards everything goes to the promoted one", async () => {
  const session = new pg.Client({ connectionString: postgres.standby.url });
  await session.connect();
  process.kill(postgres.standby.pid, "SIGSTOP");
  try {
    await session.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    const direct = clientOf(postgres.url, {}).connect();
    const answers = await Promise.all([portOrAway(), portOrAway(), direct.catch(isDatabaseAway)]);
    expect(answers).toEqual(["away", "away", true]);
  } finally {
    process.kill(postgres.standby.pid, "SIGCONT");
    await session.end();
  }
  await eventually("the promoted server", async () => {
    const port = await portOrAway();
    expect(port).not.toBe(ports.former);
    return port === ports.promoted;
  });
});
