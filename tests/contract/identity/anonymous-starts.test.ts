// Anonymous flows are rate limited by client address before they insert a row.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { newEmail } from "./people.ts";

let service: Service;
// A fixed clock, so that no count ends in the middle of a test.
const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };

beforeAll(async () => {
  service = await startService({ clock, env: { RATE_LIMIT_SCALE: "1", TRUST_PROXY_HOPS: "1" } });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  clock.at += 3_600_000;
});

let addresses = 0;
const newAddress = () => `198.51.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;
const start = (path: string, address: string) =>
  service.call("GET", path, { key: null, headers: { "X-Forwarded-For": address } });
const countKeys = async (pattern: string): Promise<number> =>
  (await service.database.query("SELECT count(*)::int AS n FROM kv WHERE key ~ $1", [pattern]))[0]
    .n;

async function statusCounts(answers: Promise<{ status: number }>[]): Promise<object> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe.each(["/auth/federated/login", "/auth/storefront/login"])("%s", (path) => {
  it("allows 120 sign-in starts a minute per client address and store; the 121st inserts no row", async () => {
    const address = newAddress();
    const before = await countKeys("^(oauth_state|pkce):");
    const answers = Array.from({ length: 140 }, () => start(`${path}?shop=${SHOP}`, address));
    expect(await statusCounts(answers)).toEqual({ 302: 120, 429: 20 });
    expect(await countKeys("^(oauth_state|pkce):")).toBe(before + 240);
    expect((await start(`${path}?shop=${OTHER_SHOP}`, address)).status).toBe(302);
    expect((await start(`${path}?shop=${SHOP}`, newAddress())).status).toBe(302);
    clock.at += 60_000;
    expect((await start(`${path}?shop=${SHOP}`, address)).status).toBe(302);
  });
});

describe.each(["/auth/install", "/admin/storefront-install"])("%s", (path) => {
  it("allows 60 install starts a minute per client address, across all stores", async () => {
    const address = newAddress();
    const before = await countKeys("^oauth_state:");
    const answers = Array.from({ length: 80 }, (_, index) =>
      start(`${path}?shop=made-up-${index}.myshopify.com`, address),
    );
    expect(await statusCounts(answers)).toEqual({ 302: 60, 429: 20 });
    expect(await countKeys("^oauth_state:")).toBe(before + 60);
    expect((await start(`${path}?shop=${SHOP}`, newAddress())).status).toBe(302);
  });
});

const post = (path: string, body: unknown, address: string) =>
  service.call("POST", `${path}?shop=${SHOP}`, {
    body,
    key: null,
    headers: { "X-Forwarded-For": address },
  });

describe("made-up email addresses", () => {
  it("create no counter once their client address has used up its sign-ins", async () => {
    const address = newAddress();
    const before = await countKeys("^rate:login_per_email:");
    const guess = () =>
      post("/auth/login", { email: newEmail("nobody"), password: "a wrong password" }, address);
    expect(await statusCounts(Array.from({ length: 80 }, guess))).toEqual({ 401: 60, 429: 20 });
    expect(await countKeys("^rate:login_per_email:")).toBe(before + 60);
  });

  it("create no counter once their client address has requested 60 reset mails in an hour", async () => {
    const address = newAddress();
    const before = await countKeys("^rate:reset_mail_per_email:");
    const ask = () => post("/auth/password/forgot", { email: newEmail("nobody") }, address);
    expect(await statusCounts(Array.from({ length: 80 }, ask))).toEqual({ 202: 60, 429: 20 });
    expect(await countKeys("^rate:reset_mail_per_email:")).toBe(before + 60);
  });
});

describe("a client, for rate limits,", () => {
  const guess = (address: string) =>
    post("/auth/login", { email: newEmail("nobody"), password: "a wrong password" }, address);

  it("is the whole /64 of its IPv6 address; a neighbouring /64 is another client", async () => {
    const answers = Array.from({ length: 61 }, (_, index) =>
      guess(`2001:db8:7:1:${index.toString(16)}::${index}`),
    );
    expect(await statusCounts(answers)).toEqual({ 401: 60, 429: 1 });
    expect((await guess("2001:db8:7:2::1")).status).toBe(401);
  });

  it("is the same by its IPv4 address and by the IPv4-mapped IPv6 form", async () => {
    const answers = Array.from({ length: 61 }, (_, index) =>
      guess(["203.0.113.200", "::ffff:203.0.113.200", "::ffff:cb00:71c8"][index % 3] as string),
    );
    expect(await statusCounts(answers)).toEqual({ 401: 60, 429: 1 });
  });
});
