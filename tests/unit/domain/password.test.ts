import { pbkdf2Sync } from "node:crypto";
import { expect, it } from "vitest";
import {
  hashPassword,
  Password,
  TypedPassword,
  verifyPassword,
} from "../../../app/domain/identity/password/password.ts";
import { systemRandom } from "../../../app/runtime/clock.ts";

const storeWith = (password_iterations: number) => ({
  shop: "test-store.myshopify.com",
  config: { password_iterations },
});
const hashOf = (password: string, iterations: number, salt = Buffer.from("sixteen bytes ok")) =>
  `pbkdf2-sha256$${iterations}$${salt.toString("base64")}$${pbkdf2Sync(password, salt, iterations, 32, "sha256").toString("base64")}`;

it("a password's length counts in code points after NFKC: 8 to 128", () => {
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

it("both Unicode forms of a password are normalised to the same text", () => {
  for (const [one, other] of [
    ["pa\u0308sswort", "p\u00e4sswort"],
    ["ｐａｓｓｗｏｒｄ", "password"],
    ["Ⅷ roman", "VIII roman"],
  ] as const) {
    expect(TypedPassword.parse(one)).toBe(TypedPassword.parse(other));
    expect(Password.parse(`${one}!!`)).toBe(TypedPassword.parse(`${other}!!`));
  }
});

it("a hash is verified with its own iterations, and reports a rehash only when it has fewer than configured", async () => {
  const stored = hashOf("correct horse", 1_000);
  expect(await verifyPassword("correct horse", stored, storeWith(1_000))).toEqual({
    isRight: true,
    needsRehash: false,
  });
  expect(await verifyPassword("correct horse", stored, storeWith(2_000))).toEqual({
    isRight: true,
    needsRehash: true,
  });
  expect(await verifyPassword("correct horse", stored, storeWith(500))).toEqual({
    isRight: true,
    needsRehash: false,
  });
  expect((await verifyPassword("Correct horse", stored, storeWith(1_000))).isRight).toBe(false);
});

it("the same password hashed twice has two salts, and both verify", async () => {
  const hashes = await Promise.all(
    [1, 2].map(() => hashPassword(systemRandom, "correct horse", storeWith(1_000))),
  );
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes)
    expect((await verifyPassword("correct horse", hash, storeWith(1_000))).isRight).toBe(true);
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
])("%s never verifies, and costs no more than the decoy hash", async (_, stored) => {
  const started = performance.now();
  expect(await verifyPassword("x", stored, storeWith(1_000))).toEqual({
    isRight: false,
    needsRehash: false,
  });
  expect(performance.now() - started).toBeLessThan(2_000);
});

it("a store that configures more iterations than the limit gets the limit", async () => {
  const stored = await hashPassword(systemRandom, "correct horse", storeWith(50_000_000));
  expect(stored).toMatch(/^pbkdf2-sha256\$1000000\$/);
  expect(await verifyPassword("correct horse", stored, storeWith(50_000_000))).toEqual({
    isRight: true,
    needsRehash: false,
  });
});
