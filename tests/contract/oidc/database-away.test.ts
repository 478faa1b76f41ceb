// The database goes away while a person comes back from an identity provider.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import pg from "pg";
import {
  approve,
  begin,
  errorOf,
  followCallback,
  putPerson,
  sessionOf,
  type Journey,
} from "../../support/browser/sign-in-journey.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import {
  eventually,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;
let proxy: DatabaseProxy;
let sub: string;

beforeAll(async () => {
  service = await startService({
    databaseThrough: async (url) => (proxy = await startDatabaseProxy(url)).url,
  });
  await service.addTenant(SHOP);
  sub = putPerson(service, "federated", "grace@example.com");
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await service.stop();
  await proxy.stop();
});

const start = async (): Promise<{ journey: Journey; callback: URL }> => {
  const journey = await begin(service, "federated", { return_to: "/account" });
  return { journey, callback: await approve(journey, sub) };
};

test("before the state is read: the person is sent back to their store, and the same address signs in later", async () => {
  const { journey, callback } = await start();
  await proxy.refuse();
  const away = await followCallback(service, callback, journey.cookie);
  expect(away.headers.get("location")).toBe(`${RETURN_ORIGIN}/?error=database_unavailable`);
  expect(away.headers.get("set-cookie")).toBeNull();
  const stranger = await followCallback(service, callback, null);
  expect([stranger.status, stranger.json.code]).toEqual([503, "database_unavailable"]);
  await proxy.restore();
  const back = await followCallback(service, callback, journey.cookie);
  expect(back.headers.get("location")).toBe(`${RETURN_ORIGIN}/account`);
  expect(sessionOf(back)).not.toBeNull();
});

test("after the provider has answered: the person is sent back to where they came from, without a session", async () => {
  const { journey, callback } = await start();
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query("BEGIN; LOCK TABLE identity_links IN ACCESS EXCLUSIVE MODE");
  const answer = followCallback(service, callback, journey.cookie);
  await eventually("the sign-in's statement", async () => {
    const { rowCount } = await holder.query(
      "SELECT 1 FROM pg_locks WHERE relation = 'identity_links'::regclass AND NOT granted",
    );
    return rowCount === 1;
  });
  await proxy.refuse();
  const away = await answer;
  expect(away.headers.get("location")).toBe(`${RETURN_ORIGIN}/account?error=database_unavailable`);
  expect([errorOf(away), sessionOf(away)]).toEqual(["database_unavailable", null]);
  await holder.end();
});
