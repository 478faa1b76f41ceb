// Several real processes and one single-use refresh token.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { storeGrant } from "../../app/domain/tenants/storefront/access-token.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { endChildren, startChild, type Child } from "../support/processes/child.ts";
import {
  eventually,
  SHOP,
  startService,
  testEnvironment,
  type Service,
} from "../support/service.ts";

let service: Service;
let children: Child[];

beforeAll(async () => {
  service = await startService();
  service.sandbox.storefront.install(SHOP);
  children = await startProcesses(3);
});
afterAll(async () => {
  await endChildren();
  await service.stop();
});
beforeEach(() => {
  service.sandbox.clearFaults();
  service.sandbox.storefront.settings.refreshRetry = "none";
});

async function startProcesses(count: number): Promise<Child[]> {
  const env = {
    ...testEnvironment(service.sandbox, service.database.serviceUrl),
    BASE_URL: service.url,
    LOG_LEVEL: "silent",
    DATABASE_POOL: "4",
  };
  const started = Array.from({ length: count }, () =>
    startChild("tests/support/processes/token-child.ts", env),
  );
  await Promise.all(started.map((child) => child.line("readiness", /^ready$/)));
  return started;
}

async function connect(secondsLeft: number): Promise<void> {
  const reply = service.sandbox.storefront.install(SHOP);
  service.sandbox.storefront.expireAccessTokens(SHOP, secondsLeft);
  await registerTenant(service.ctx, SHOP);
  await storeGrant(service.ctx, SHOP, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token as string,
    expiresIn: secondsLeft,
    scopes: [],
  });
}

/**
 * `seen`: the generation that all callers found invalid. Without it, a late caller would correctly force
 * another refresh.
 */
function ask(
  child: Child,
  options: { force?: boolean; seen?: number } = {},
): { tokens: Promise<string[]> } {
  child.lines.length = 0;
  child.send(JSON.stringify({ shop: SHOP, callers: 20, ...options }));
  return {
    tokens: child
      .line("tokens", /^tokens (.*)$/, 45_000)
      .then(([, list]) => JSON.parse(list as string) as string[]),
  };
}
const outcomes = () => service.sandbox.storefront.refreshCalls(SHOP).map(({ outcome }) => outcome);
const endLease = () =>
  service.database.query(
    "UPDATE kv SET expires_at = clock_timestamp() WHERE key = 'lease:storefront_token'",
  );
const works = async (token: string) =>
  (await service.ctx.storefront.shop(SHOP, token)).status === 200;

test.each([
  ["a check", false],
  ["a refresh forced for the token they all saw fail", true],
])(
  "3 processes x 20 callers with an expired token, by %s: one refresh call, and the same token 60 times",
  async (_, force) => {
    const before = outcomes().length;
    await connect(0);
    const { token_generation: seen } = (await getTenant(service.ctx, SHOP)).connection;
    const tokens = (
      await Promise.all(
        children.map(
          (child) => ask(child, force && seen !== undefined ? { force, seen } : {}).tokens,
        ),
      )
    ).flat();
    process.stdout.write(
      `refresh calls for 60 callers in 3 processes: ${outcomes().length - before}\n`,
    );
    expect(outcomes().slice(before)).toEqual(["rotated"]);
    expect(tokens).toHaveLength(60);
    expect([...new Set(tokens)]).toHaveLength(1);
    expect(await works(tokens[0] as string)).toBe(true);
  },
);

test("3 processes x 20 callers a minute before expiry: one refresh call, and every returned token works", async () => {
  const before = outcomes().length;
  await connect(60);
  const tokens = (await Promise.all(children.map((child) => ask(child).tokens))).flat();
  expect(outcomes().slice(before)).toEqual(["rotated"]);
  expect(tokens).toHaveLength(60);
  for (const token of new Set(tokens)) expect(await works(token)).toBe(true);
});

test("kill -9 of the refreshing process before the platform acts: the others refresh after the lease, with one call", async () => {
  const before = outcomes().length;
  await connect(0);
  service.sandbox.failNext("storefront", { hang: 60_000, match: "access_token" });
  const [victim] = (await startProcesses(1)) as [Child];
  const asked = service.sandbox.requests("storefront").length;
  ask(victim).tokens.catch(() => {});
  await eventually(
    "the refresh call of the victim",
    () => service.sandbox.requests("storefront").length > asked,
  );
  const waiting = children.slice(0, 2).map((child) => ask(child).tokens);
  victim.signal("SIGKILL");
  await victim.ended;
  expect(outcomes()).toHaveLength(before);
  await endLease();
  const tokens = (await Promise.all(waiting)).flat();
  expect(outcomes().slice(before)).toEqual(["rotated"]);
  expect([...new Set(tokens)]).toHaveLength(1);
  expect(await works(tokens[0] as string)).toBe(true);
});

test("kill -9 between the platform's response and our commit: no token is lost where the platform repeats its response", async () => {
  service.sandbox.storefront.settings.refreshRetry = "until_replacement_used";
  const before = outcomes().length;
  await connect(0);
  const [victim] = (await startProcesses(1)) as [Child];
  // The platform acts 300 ms after the call; by then the caller is dead and the response is lost.
  service.sandbox.failNext("storefront", { delayMs: 300, match: "access_token" });
  const asked = service.sandbox.requests("storefront").length;
  ask(victim).tokens.catch(() => {});
  await eventually(
    "the refresh call of the victim",
    () => service.sandbox.requests("storefront").length > asked,
  );
  victim.signal("SIGKILL");
  await victim.ended;
  await eventually("the platform to rotate", () => outcomes().length === before + 1);
  const waiting = children.slice(0, 2).map((child) => ask(child).tokens);
  await endLease();
  const tokens = (await Promise.all(waiting)).flat();
  expect(outcomes().slice(before)).toEqual(["rotated", "repeated"]);
  expect([...new Set(tokens)]).toHaveLength(1);
  expect(await works(tokens[0] as string)).toBe(true);
  expect((await getTenant(service.ctx, SHOP)).connection.token_state).toBe("valid");
});
