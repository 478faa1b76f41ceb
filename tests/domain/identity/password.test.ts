import { pbkdf2Sync } from "node:crypto";
import { expect, it } from "vitest";
import {
  hashPassword,
  Password,
  TypedPassword,
  verifyPassword,
} from "../../../app/domain/identity/password.ts";
import { derive } from "../../../app/domain/identity/password-hasher.ts";
import { systemRandom } from "../../../app/runtime/clock.ts";

const hashOf = (password: string, iterations: number, salt = Buffer.from("sixteen bytes ok")) =>
  `pbkdf2-sha256$${iterations}$${salt.toString("base64")}$${pbkdf2Sync(password, salt, iterations, 32, "sha256").toString("base64")}`;

it("a password counts in code points after NFKC: 8 to 128", () => {
  const isGood = (password: string) => Password.safeParse(password).success;
  expect(isGood("x".repeat(7))).toBe(false);
  expect(isGood("x".repeat(8))).toBe(true);
  expect(isGood("x".repeat(128))).toBe(true);
  expect(isGood("x".repeat(129))).toBe(false);
  expect(isGood("😀".repeat(7))).toBe(false);
  expect(isGood("😀".repeat(128))).toBe(true);
  expect(isGood("e\u0301".repeat(7))).toBe(false);
  expect(isGood("ﬁ".repeat(4))).toBe(true);
  expect(isGood("x\u0301".repeat(64))).toBe(true);
});

it("both ways of typing a password end in the same text", () => {
  for (const [one, other] of [
    ["pa\u0308sswort", "p\u00e4sswort"],
    ["ｐａｓｓｗｏｒｄ", "password"],
    ["Ⅷ roman", "VIII roman"],
  ] as const) {
    expect(TypedPassword.parse(one)).toBe(TypedPassword.parse(other));
    expect(Password.parse(`${one}!!`)).toBe(TypedPassword.parse(`${other}!!`));
  }
});

it("a hash is checked with its own iterations, and asks to be made again only when it has fewer than wanted", async () => {
  const stored = hashOf("correct horse", 1_000);
  expect(await verifyPassword("correct horse", stored, 1_000)).toEqual({
    isRight: true,
    needsRehash: false,
  });
  expect(await verifyPassword("correct horse", stored, 2_000)).toEqual({
    isRight: true,
    needsRehash: true,
  });
  expect(await verifyPassword("correct horse", stored, 500)).toEqual({
    isRight: true,
    needsRehash: false,
  });
  expect((await verifyPassword("Correct horse", stored, 1_000)).isRight).toBe(false);
});

it("the same password twice has two salts, and both are checked", async () => {
  const hashes = await Promise.all(
    [1, 2].map(() => hashPassword(systemRandom, "correct horse", 1_000)),
  );
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes)
    expect((await verifyPassword("correct horse", hash, 1_000)).isRight).toBe(true);
});

it.each([
  ["no hash", ""],
  ["another scheme", "$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA"],
  ["no iterations", hashOf("x", 1).replace("$1$", "$0$")],
  ["more iterations than may be asked for", hashOf("x", 1).replace("$1$", "$50000000$")],
  ["iterations in another spelling", hashOf("x", 1).replace("$1$", "$+1$")],
  ["a hash that is too short", hashOf("x", 1).replace(/.{8}=$/, "=")],
  ["no salt", hashOf("x", 1).replace(/\$1\$[^$]+/, "$1$")],
  ["text after it", `${hashOf("x", 1)}\n`],
])("%s is never right, and costs no more than a decoy", async (_, stored) => {
  const started = performance.now();
  expect(await verifyPassword("x", stored, 1_000)).toEqual({ isRight: false, needsRehash: false });
  expect(performance.now() - started).toBeLessThan(2_000);
});

it("many at once are derived rightly, each its own, and too many are refused as busy with Retry-After", async () => {
  const salt = Buffer.from("a salt of 16 byt");
  const tasks = Array.from({ length: 200 }, async (_, index) =>
    derive(`password ${index}`, salt, 3_000),
  );
  const results = await Promise.allSettled(tasks);
  const refused = results.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(200);
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: "busy", status: 503, headers: { "Retry-After": "2" } });
  for (const [index, result] of results.entries())
    if (result.status === "fulfilled")
      expect(result.value).toEqual(pbkdf2Sync(`password ${index}`, salt, 3_000, 32, "sha256"));
  expect(await derive("after", salt, 10)).toEqual(pbkdf2Sync("after", salt, 10, 32, "sha256"));
});
