import { afterAll, beforeAll, expect, it } from "vitest";
import {
  mintToken,
  verifySessionToken,
  shopOfToken,
  type SessionClaims,
} from "../../../app/domain/identity/session/session-token.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const SHOP = "first-shop.myshopify.com";
const NOW = new Date("2026-11-20T12:00:00.500Z");
const SECONDS = Math.floor(NOW.getTime() / 1_000);
const CLAIMS: SessionClaims = {
  sub: "7",
  email: "ada@example.com",
  name: "Ada",
  provider: "email",
  iat: SECONDS,
  exp: SECONDS + 604_800,
};

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
  await registerTenant(app.ctx, SHOP);
  tenant = await getTenant(app.ctx, SHOP);
});
afterAll(() => app.stop());

const mint = (claims: Partial<SessionClaims> = {}, mark = "0123456789A") =>
  mintToken(app.ctx.config, tenant, { ...CLAIMS, ...claims }, mark);
const read = (token: string, now = NOW) => verifySessionToken(app.ctx.config, tenant, token, now);

it("an issued token is read again and names its store", () => {
  expect(read(mint())).toEqual(CLAIMS);
  expect(shopOfToken(mint())).toBe(SHOP);
});

it("tokens issued in the same second differ by their id in the header beside the kid", () => {
  const tokens = ["aaaaaaaaaa", "bbbbbbbbbb"].map((mark) => mint({}, mark));
  expect(new Set(tokens).size).toBe(2);
  for (const token of tokens) expect(read(token)).toEqual(CLAIMS);
  const [header, payload] = (tokens[0] as string)
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")));
  expect(header).toEqual({
    alg: "HS256",
    typ: "JWT",
    kid: expect.stringMatching(new RegExp(`^${SHOP}/[0-9a-f]{8}$`)),
    jti: "aaaaaaaaaa",
  });
  expect(payload).toEqual(CLAIMS);
  expect(tokens[0]).toMatch(/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/);
});

it("tokens of stores with names of any length name their store", () => {
  for (const shop of ["a", "ab", "abc", "abcd"].map((name) => `${name}.myshopify.com`)) {
    const token = mintToken(app.ctx.config, { ...tenant, shop }, CLAIMS, "0123456789");
    for (let times = 0; times < 2; times += 1) expect(shopOfToken(token)).toBe(shop);
    expect(verifySessionToken(app.ctx.config, { ...tenant, shop }, token, NOW)).toEqual(CLAIMS);
    expect(read(token)).toBeNull();
  }
});

it("a header that begins like a store's own does not claim that store's tokens for another", () => {
  const [own = ""] = mint().split(".");
  const other = `${Buffer.from(own.slice(0, -16), "base64url").toString("utf8")}x","kid":"other-shop.myshopify.com/1"}`;
  for (let times = 0; times < 2; times += 1) {
    shopOfToken(`${Buffer.from(other).toString("base64url")}.e30.x`);
    expect(shopOfToken(mint())).toBe(SHOP);
  }
});

it("a token expires in the second of its exp, and may be dated at most a minute ahead", () => {
  const at = (seconds: number) => new Date(seconds * 1_000);
  expect(read(mint(), at(CLAIMS.exp - 0.001))).not.toBeNull();
  expect(read(mint(), at(CLAIMS.exp))).toBeNull();
  expect(read(mint({ iat: SECONDS + 60 }))).not.toBeNull();
  expect(read(mint({ iat: SECONDS + 61 }))).toBeNull();
});

it("a token with one character changed, added or removed is invalid", () => {
  const token = mint();
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === "A" ? "B" : "A";
    expect(
      read(token.slice(0, index) + other + token.slice(index + 1)),
      `character ${index}`,
    ).toBeNull();
    expect(
      read(token.slice(0, index) + token.slice(index + 1)),
      `without character ${index}`,
    ).toBeNull();
  }
  for (const more of ["A", "=", ".", " ", "\n"]) expect(read(token + more)).toBeNull();
});

it("no text makes the parser throw", () => {
  const texts = [
    "",
    ".",
    "..",
    "...",
    "a.b.c",
    "e30.e30.",
    "bnVsbA.bnVsbA.x",
    "😀.😀.😀",
    "\u0000",
    "x".repeat(100_000),
    ".".repeat(100_000),
  ];
  for (const text of texts) {
    expect(read(text)).toBeNull();
    expect(shopOfToken(text)).toBeNull();
  }
});

it("a kid that names no store domain names none", () => {
  const withKid = (kid: unknown) =>
    `${Buffer.from(JSON.stringify({ alg: "HS256", kid })).toString("base64url")}.e30.x`;
  for (const kid of ["evil.example/1", `${SHOP}.evil.example/1`, "../x", "", 5, null, { a: 1 }])
    expect(shopOfToken(withKid(kid))).toBeNull();
  expect(shopOfToken(withKid(`${SHOP}/1`))).toBe(SHOP);
});
