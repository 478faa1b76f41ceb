// Sign-in and session check: ratios within one run, in interleaved rounds. `node
// tests/bench/identity.ts` runs it alone.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import {
  createDatabase,
  ensurePeers,
  load,
  startBareSession,
  startBetterAuth,
  startHashLoop,
  startOurs,
  type Auth,
  type Side,
} from "./identity-sides.ts";

/** `isMet`: the goal; `floor`: the minimum on any machine. */
export type Measure = {
  name: string;
  value: number;
  bound: string;
  isMet: boolean;
  floor: (value: number) => boolean;
};

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const SIGN_INS_AT_ONCE = 8;
const SESSIONS_AT_ONCE = 16;
const GUESSES_AT_ONCE = 64;

const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;
const median = (values: readonly number[]) => percentile(values, 0.5);

/**
 * Runs each contender once per round, in changing order, so that a slow minute of the machine
 * affects all; the first round is a warm-up. Returns the median, over the rounds, of our rate
 * divided by each other's.
 */
async function compare(
  contenders: Record<string, () => Promise<number>>,
): Promise<Record<string, number>> {
  const names = Object.keys(contenders);
  const rounds: Record<string, number>[] = [];
  for (let n = 0; n <= ROUNDS; n += 1) {
    const round: Record<string, number> = {};
    for (const name of n % 2 ? names.toReversed() : names)
      round[name] = await (contenders[name] as () => Promise<number>)();
    if (n > 0) rounds.push(round);
  }
  process.stdout.write(
    `(to read the ratios by: ${names.map((name) => `${name} ${median(rounds.map((round) => round[name] as number)).toFixed(0)}/s`).join(", ")})\n`,
  );
  return Object.fromEntries(
    names.map((name) => [
      name,
      median(rounds.map((round) => (round.ours as number) / (round[name] as number))),
    ]),
  );
}

const goal = (
  name: string,
  value: number,
  bound: string,
  target: number,
  floor: number,
): Measure => ({
  name,
  value,
  bound: `${bound} (goal: at least ${target})`,
  isMet: value >= target,
  floor: (measured) => measured > floor,
});

async function measureSignIns(
  ours: Auth,
  hashing: Side,
  peers: Record<string, Auth>,
): Promise<Measure[]> {
  const signInsOf = (side: Auth) => async () =>
    (await load(side.url, side.signIns, SIGN_INS_AT_ONCE, ROUND_SECONDS)).perSecond;
  const ratios = await compare({
    ours: signInsOf(ours),
    hashing: async () =>
      Number(
        await (
          await fetch(`${hashing.url}/?seconds=${ROUND_SECONDS}&at_once=${SIGN_INS_AT_ONCE}`)
        ).text(),
      ),
    ...Object.fromEntries(Object.entries(peers).map(([name, side]) => [name, signInsOf(side)])),
  });
  return [
    goal("sign_in_hashing", ratios.hashing as number, "a loop that only hashes", 0.85, 0.5),
    ...(ratios.pbkdf2
      ? [goal("sign_in_better_auth", ratios.pbkdf2, "better-auth with the same hash", 1.3, 0.8)]
      : []),
    ...(ratios.shipped
      ? [goal("sign_in_better_auth_shipped", ratios.shipped, "better-auth as shipped", 6, 2)]
      : []),
  ];
}

async function measureSessions(ours: Auth, bare: Side, peer: Auth | undefined): Promise<Measure[]> {
  const sessionsOf = (side: Auth) => async () =>
    (await load(side.url, side.sessions, SESSIONS_AT_ONCE, ROUND_SECONDS)).perSecond;
  const ratios = await compare({
    ours: sessionsOf(ours),
    bare: async () =>
      (
        await load(
          bare.url,
          [{ method: "GET", path: "/", headers: {} }],
          SESSIONS_AT_ONCE,
          ROUND_SECONDS,
        )
      ).perSecond,
    ...(peer && { better_auth: sessionsOf(peer) }),
  });
  return [
    goal(
      "me_bare",
      ratios.bare as number,
      "a bare node:http server with one SELECT per request, planned once",
      0.5,
      0.25,
    ),
    ...(ratios.better_auth
      ? [
          goal(
            "me_better_auth",
            ratios.better_auth,
            "better-auth's session read from the database",
            6,
            2,
          ),
        ]
      : []),
  ];
}

/**
 * The response time of other requests while 64 concurrent guesses keep both cores busy, compared
 * with an idle server.
 */
async function measureFlood(ours: Auth): Promise<Measure[]> {
  const guesses = ours.signIns.map((signIn) => ({
    ...signIn,
    body: (signIn.body ?? "").replace("battery", "guess"),
  }));
  const probes = { health: [{ method: "GET", path: "/health", headers: {} }], me: ours.sessions };
  const waits = async (name: keyof typeof probes) =>
    percentile((await load(ours.url, probes[name], 2, ROUND_SECONDS)).times, 0.99);
  const ratios: Record<keyof typeof probes, number[]> = { health: [], me: [] };
  for (let n = 0; n <= ROUNDS; n += 1)
    for (const name of ["health", "me"] as const) {
      const idle = await waits(name);
      const flood = load(ours.url, guesses, GUESSES_AT_ONCE, ROUND_SECONDS + 1, true);
      const flooded = await waits(name);
      await flood;
      if (n > 0) ratios[name].push(flooded / idle);
    }
  return (["health", "me"] as const).map((name) => {
    const value = median(ratios[name]);
    return {
      name: `flood_p99_${name}`,
      value,
      bound: `its p99 at rest, under ${GUESSES_AT_ONCE} guesses at once (goal: below 3)`,
      isMet: value < 3,
      floor: (measured) => measured < 20,
    };
  });
}

/** `only`: some of `sign-ins`, `sessions` and `flood`; all when empty. */
export async function run(serverUrl: string, only: readonly string[] = []): Promise<Measure[]> {
  const databaseUrl = await createDatabase(serverUrl, "bench_identity");
  await applyMigrations(databaseUrl);
  const ours = await startOurs(databaseUrl);
  const started: Side[] = [ours];
  const start = async <S extends Side>(starting: Promise<S>): Promise<S> => {
    const side = await starting;
    started.push(side);
    return side;
  };
  try {
    const hashing = await start(startHashLoop());
    const bare = await start(startBareSession(databaseUrl));
    const hasPeers = ensurePeers();
    if (!hasPeers)
      process.stdout.write("better-auth cannot be installed here: measured without it\n");
    const pbkdf2 = hasPeers
      ? await start(startBetterAuth(await createDatabase(serverUrl, "bench_better_auth"), "pbkdf2"))
      : undefined;
    const shipped = hasPeers
      ? await start(
          startBetterAuth(await createDatabase(serverUrl, "bench_better_auth_shipped"), "shipped"),
        )
      : undefined;
    const parts: Record<string, () => Promise<Measure[]>> = {
      "sign-ins": () =>
        measureSignIns(ours, hashing, { ...(pbkdf2 && { pbkdf2 }), ...(shipped && { shipped }) }),
      sessions: () => measureSessions(ours, bare, pbkdf2),
      flood: () => measureFlood(ours),
    };
    const measures: Measure[] = [];
    for (const [name, measure] of Object.entries(parts))
      if (only.length === 0 || only.includes(name)) measures.push(...(await measure()));
    return measures;
  } finally {
    for (const side of started) await side.stop();
  }
}

async function runAlone(): Promise<boolean> {
  const folder = await mkdtemp("/var/tmp/identity-bench-");
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
  try {
    const measures = await run(postgres.url, process.argv.slice(2));
    for (const { name, value, bound, isMet } of measures)
      process.stdout.write(
        `${name.padEnd(28)} ${value.toFixed(2).padStart(7)} x ${bound}${isMet ? "" : "   <- missed"}\n`,
      );
    return measures.every(({ value, floor }) => floor(value));
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

if (process.argv[1] === import.meta.filename) process.exit((await runAlone()) ? 0 : 1);
