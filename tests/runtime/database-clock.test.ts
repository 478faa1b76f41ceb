// A process whose clock is wrong: what it stores and checks follows the database's time.
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../app/db.server.ts";
import {
  createDatabaseClock,
  type DatabaseClock,
} from "../../app/runtime/database/connection/database-clock.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { mintToken, type SessionClaims } from "../../app/domain/identity/session/session-token.ts";
import { createLog } from "../../app/runtime/log.ts";
import {
  getMe,
  reset,
  signUp,
  PASSWORD,
  forgot,
  login,
  mailedToken,
} from "../contract/identity/people.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const HOUR_MS = 3_600_000;
const CLOSE_MS = 1_000;

let service: Service;
let clock: DatabaseClock;
let stop: () => void;
let aheadMs = HOUR_MS;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  clock = createDatabaseClock({
    log: createLog("info", { write: (line) => void lines.push(JSON.parse(line)) }),
    own: { now: () => Date.now() + aheadMs, elapsed: () => performance.now() },
  });
  service = await startService({ clock, background: true });
  await service.addTenant(SHOP);
  ({ stop } = await clock.follow(service.ctx.home));
});
afterAll(async () => {
  stop?.();
  await service.stop();
});

const difference = () => Math.abs(clock.now().getTime() - Date.now());

describe("a process whose clock is an hour ahead", () => {
  test("has the database's time, and says so in the log", () => {
    expect(difference()).toBeLessThan(CLOSE_MS);
    const line = lines.find(({ event }) => event === "clock.differs");
    expect(line?.process_is_ahead_by_ms).toBeGreaterThan(HOUR_MS - CLOSE_MS);
  });

  test("makes sessions that a password reset ends", async () => {
    const person = await signUp(service);
    await forgot(service, person.email);
    const link = await mailedToken(service, person.email, "/auth/password/reset", 0);
    expect((await getMe(service, person.token)).status).toBe(200);
    expect((await reset(service, link, `${PASSWORD} again`)).status).toBe(200);
    expect((await getMe(service, person.token)).status).toBe(401);
  });

  test("follows when its clock is set right", async () => {
    aheadMs = 0;
    clock.now();
    await eventually("the new difference", () => difference() < CLOSE_MS);
  });
});

test("a person who reset the password while the database's clock was an hour ahead signs in when it is set right, and older sessions stay ended", async () => {
  const tenant = await getTenant(service.ctx, SHOP);
  const person = await signUp(service);
  const [, payload = ""] = person.token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as SessionClaims;
  const within = (minutes: number) =>
    mintToken(
      service.ctx.config,
      tenant,
      { ...claims, iat: claims.iat + minutes * 60 },
      "0123456789",
    );
  await service.database.query(
    "UPDATE storefront_users SET sessions_valid_after = date_trunc('second', now()) + interval '1 hour' WHERE id = $1",
    [person.id],
  );
  const again = await login(service, person.email);
  expect((await getMe(service, again.json.token)).status).toBe(200);
  for (const older of [person.token, within(30), within(90)])
    expect((await getMe(service, older)).status).toBe(401);
});

test("a clock that differs by less than clocks in time do is used as it is, also when the answer is slow", async () => {
  const { home } = service.ctx;
  const slow: Database = {
    ...home,
    async time() {
      const time = await home.time();
      await setTimeout(30);
      return time;
    },
  };
  const plain = createDatabaseClock({ log: createLog("silent") });
  const following = await plain.follow(slow);
  const [before, now, after] = [Date.now(), plain.now().getTime(), Date.now()];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(after);
  following.stop();
});
