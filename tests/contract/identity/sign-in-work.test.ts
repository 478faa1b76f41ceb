// The cost of a sign-in, and that it discloses nothing.
import { pbkdf2Sync } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { signIn } from "../../../app/domain/identity/sign-in.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { levelThreads, processorMs } from "../../support/processor-time.ts";
import { getMe, login, newEmail, PASSWORD, signUp } from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { password_iterations: 100_000 });
  // The first hash starts the thread.
  await signUp(service);
  levelThreads();
});
afterAll(() => service.stop());
afterEach(() => setIterations(100_000));

const storedHash = async (id: number): Promise<string> =>
  (
    await service.database.query("SELECT password_hash FROM storefront_users WHERE id = $1", [id])
  )[0].password_hash;
const setIterations = async (password_iterations: number) =>
  void (await service.call("POST", `/config?shop=${SHOP}`, { body: { password_iterations } }));
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;

const ROUNDS = 15;
const MAX_ROUNDS = 120;

type Cost = { ms: number; statements: number };

/**
 * What a failed sign-in costs: processor time of this process with its hashing threads, and statements
 * of the database. A clock would also count what else the machine does, and that the hashing threads give
 * way to it.
 */
async function costOfFailure(email: string): Promise<Cost> {
  const tenant = await getTenant(service.ctx, SHOP);
  const query = vi.spyOn(pg.Client.prototype, "query");
  const before = processorMs();
  await expect(
    signIn(service.ctx, tenant, { email, password: "wrong password" }),
  ).rejects.toMatchObject({ code: "invalid_credentials" });
  const cost = { ms: processorMs() - before, statements: query.mock.calls.length };
  query.mockRestore();
  return cost;
}

/**
 * Compares failed sign-ins in rounds. A time is a share of its round, so that a slow spell of the machine
 * affects all alike, and the medians are compared. Random differences level out in more rounds, a real one
 * stays.
 */
async function expectEqualCosts(emails: string[]): Promise<void> {
  const rounds: Cost[][] = [];
  const spread = () => {
    const shares = rounds.map((round) => {
      const sum = round.reduce((total, { ms }) => total + ms, 0);
      return round.map(({ ms }) => ms / sum);
    });
    const medians = emails.map((_, index) => median(shares.map((round) => round[index] as number)));
    return Math.max(...medians) / Math.min(...medians);
  };
  while (rounds.length < MAX_ROUNDS) {
    const round: Cost[] = [];
    for (const email of emails) round.push(await costOfFailure(email));
    rounds.push(round);
    if (rounds.length % ROUNDS === 0 && spread() <= 1.1) break;
  }
  expect(spread()).toBeLessThanOrEqual(1.1);
  const statements = emails.map((_, index) =>
    median(rounds.map((round) => round[index]?.statements ?? 0)),
  );
  expect(statements).toEqual(emails.map(() => statements[0]));
  expect(statements[0]).toBeGreaterThan(0);
}

it("costs as much for an unknown address, an account without a password and a suspended one as for a wrong password: the same statements, and processor time within 10 % in the median", async () => {
  const [known, suspended, passwordless] = [
    await signUp(service),
    await signUp(service),
    newEmail("federated"),
  ];
  await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
    suspended.id,
  ]);
  await service.database.query(
    "INSERT INTO storefront_users (shop, email, provider) VALUES ($1, $2, 'federated')",
    [SHOP, passwordless],
  );
  await expectEqualCosts([known.email, suspended.email, passwordless, newEmail("nobody")]);
});

it("costs as much for a hash with the earlier iteration count as for an unknown address", async () => {
  const old = await signUp(service);
  await setIterations(200_000);
  await expectEqualCosts([old.email, newEmail("nobody")]);
});

it("costs as much for a hash with more iterations than the setting, since it was lowered, as for an unknown address", async () => {
  await setIterations(200_000);
  const strong = await signUp(service);
  await setIterations(150_000);
  await setIterations(100_000);
  const weak = await signUp(service);
  await expectEqualCosts([strong.email, weak.email, newEmail("nobody")]);
});

it("stores pbkdf2-sha256 with its iterations, a random salt and 32 bytes that can be recomputed", async () => {
  const [one, two] = [await signUp(service), await signUp(service)];
  const hashes = [await storedHash(one.id), await storedHash(two.id)];
  expect(hashes[0]).not.toBe(hashes[1]);
  for (const stored of hashes) {
    expect(stored).toMatch(/^pbkdf2-sha256\$100000\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    const [, iterations, salt, hash] = stored.split("$");
    expect(
      pbkdf2Sync(
        PASSWORD,
        Buffer.from(salt as string, "base64"),
        Number(iterations),
        32,
        "sha256",
      ).toString("base64"),
    ).toBe(hash);
  }
});

it("rehashes at sign-in when the iteration count was raised, once, and never lowers it", async () => {
  const { id, email, token } = await signUp(service);
  await setIterations(120_000);
  expect((await login(service, email, "wrong password")).status).toBe(401);
  expect(await storedHash(id)).toMatch(/^pbkdf2-sha256\$100000\$/);
  expect((await login(service, email)).status).toBe(200);
  const raised = await storedHash(id);
  expect(raised).toMatch(/^pbkdf2-sha256\$120000\$/);
  await login(service, email);
  expect(await storedHash(id)).toBe(raised);
  await setIterations(100_000);
  expect((await login(service, email)).status).toBe(200);
  expect(await storedHash(id)).toBe(raised);
  expect((await getMe(service, token)).status).toBe(200);
});

it("rejects a stored hash with 50 million iterations without computing it", async () => {
  const { id, email } = await signUp(service);
  await service.database.query(
    "UPDATE storefront_users SET password_hash = replace(password_hash, '$100000$', '$50000000$') WHERE id = $1",
    [id],
  );
  const started = performance.now();
  expect((await login(service, email)).status).toBe(401);
  expect(performance.now() - started).toBeLessThan(2_000);
});

it(
  "answers sign-ins that overflow the queue with 503 and Retry-After, while /health answers at once, and recovers",
  { timeout: 60_000 },
  async () => {
    const { email } = await signUp(service);
    const signedInAt: number[] = [];
    const healthyAt: number[] = [];
    const flood = Array.from({ length: 140 }, async () => {
      const answer = await login(service, email);
      if (answer.status === 200) signedInAt.push(performance.now());
      return answer;
    });
    const pings = Array.from({ length: 20 }, async () => {
      expect((await service.call("GET", "/health", { key: null })).status).toBe(200);
      healthyAt.push(performance.now());
    });
    const answers = await Promise.all(flood);
    await Promise.all(pings);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBe(140 - refused.length);
    for (const { headers, json } of refused)
      expect([json.code, Number(headers.get("retry-after")) > 0]).toEqual(["busy", true]);
    // Asked after all of them, and answered while hashes still wait.
    expect(median(healthyAt)).toBeLessThan(Math.max(...signedInAt));
    expect((await login(service, email)).status).toBe(200);
  },
);
