// Encryption at rest: a stored secret cannot be decrypted elsewhere, under another key, or after a
// change.
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../app/runtime/clock.ts";
import { createSecrets, isSealed, secretEquals } from "../../../app/runtime/secrets.ts";

const secrets = createSecrets(Buffer.alloc(32, 1), systemRandom);
const PLACE = "a.myshopify.com/storefront_admin_token";

describe("an encrypted secret", () => {
  test.each([
    "",
    "x",
    "a token of usual length 0123456789",
    "ключ 🔑 with\nlines\u0000",
    "y".repeat(100_000),
  ])("decrypts to the original", (plain) => {
    const sealed = secrets.seal(PLACE, plain);
    expect(isSealed(sealed)).toBe(true);
    expect(secrets.unseal(PLACE, sealed)).toBe(plain);
  });

  test("does not show its content, and differs every time", () => {
    const sealed = Array.from({ length: 50 }, () => secrets.seal(PLACE, "visible-secret"));
    expect(new Set(sealed).size).toBe(50);
    for (const one of sealed)
      expect(one + Buffer.from(one.slice(10), "base64").toString("latin1")).not.toContain(
        "visible",
      );
  });

  test("cannot be decrypted for another store or another field", () => {
    const sealed = secrets.seal(PLACE, "secret");
    for (const place of [
      "b.myshopify.com/storefront_admin_token",
      "a.myshopify.com/storefront_refresh_token",
      "",
      `${PLACE} `,
    ])
      expect(() => secrets.unseal(place, sealed)).toThrow("does not open");
  });

  test("cannot be decrypted with another key, and the error shows neither key nor secret", () => {
    const sealed = secrets.seal(PLACE, "visible-secret");
    const other = createSecrets(Buffer.alloc(32, 2), systemRandom);
    expect(() => other.unseal(PLACE, sealed)).toThrow(
      expect.objectContaining({
        name: "SecretsKeyError",
        message: `The secret at ${PLACE} does not open with this SECRETS_KEY. Set the key that the database was first used with.`,
      }),
    );
  });

  test("cannot be decrypted when any byte was changed, or when it was truncated", () => {
    const sealed = secrets.seal(PLACE, "secret");
    const raw = Buffer.from(sealed.slice("sealed:v1:".length), "base64");
    for (let index = 0; index < raw.length; index += 1) {
      const altered = Buffer.from(raw);
      altered[index] = (altered[index] as number) ^ 1;
      expect(() => secrets.unseal(PLACE, `sealed:v1:${altered.toString("base64")}`)).toThrow(
        "does not open",
      );
      expect(() =>
        secrets.unseal(PLACE, `sealed:v1:${raw.subarray(0, index).toString("base64")}`),
      ).toThrow("does not open");
    }
  });
});

describe("a pseudonym", () => {
  test("is the same for the same value in the same context, and differs in another context or under another key", () => {
    const of = (place: string, value: string, from = secrets) => from.pseudonym(place, value);
    expect(of("a/phone", "123")).toBe(of("a/phone", "123"));
    const others = [
      of("b/phone", "123"),
      of("a/email", "123"),
      of("a/phone", "124"),
      of("a/phone\n1", "23"),
      of("a/phone", "123", createSecrets(Buffer.alloc(32, 2), systemRandom)),
    ];
    expect(new Set([of("a/phone", "123"), ...others]).size).toBe(others.length + 1);
    expect(of("a/phone", "123")).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("two secrets are equal only when every character is", () => {
  expect(secretEquals("abc", "abc")).toBe(true);
  for (const [a, b] of [
    ["abc", "abd"],
    ["abc", "ab"],
    ["abc", "abcd"],
    ["", "a"],
    ["abc", "ABC"],
    ["é", "e\u0301"],
  ] as const)
    expect(secretEquals(a, b)).toBe(false);
});
