// Passwords: their rules, and the self-describing hash `pbkdf2-sha256$<iterations>$<salt>$<hash>` (DECISIONS 6).
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Random } from "../../runtime/clock.ts";
import { derive } from "./password-hasher.ts";

const SALT_BYTES = 16;
/** A stored hash that asks for more work than this is refused, not computed: it would be an attack. */
const MAX_ITERATIONS = 2_000_000;
const SHAPE = /^pbkdf2-sha256\$(\d{1,8})\$([A-Za-z0-9+/]{4,}={0,2})\$([A-Za-z0-9+/]{43}=)$/;

const codePoints = (text: string): number => Array.from(text).length;

export const Password = z
  .string("must be 8 to 128 characters")
  .max(2_000, "must be 8 to 128 characters")
  .transform((text) => text.normalize("NFKC"))
  .refine(
    (text) => codePoints(text) >= 8 && codePoints(text) <= 128,
    "must be 8 to 128 characters",
  );

/** Any text that may have been typed at a sign-in: a wrong one is a wrong password, not a wrong request. */
export const TypedPassword = z
  .string()
  .max(2_000)
  .transform((text) => text.normalize("NFKC"));

export async function hashPassword(
  random: Random,
  password: string,
  iterations: number,
): Promise<string> {
  const salt = random.bytes(SALT_BYTES);
  const hash = await derive(password, salt, iterations);
  return `pbkdf2-sha256$${iterations}$${salt.toString("base64")}$${hash.toString("base64")}`;
}

/**
 * Whether the password is the stored one. For an account that has none, or is not there, the same work is done against a
 * decoy, so that the time tells nothing.
 */
export async function verifyPassword(
  password: string,
  stored: string,
  targetIterations: number,
): Promise<{ isRight: boolean; needsRehash: boolean }> {
  const [, count, salt, hash] = SHAPE.exec(stored) ?? [];
  const iterations = Number(count);
  if (!count || !salt || !hash || iterations < 1 || iterations > MAX_ITERATIONS) {
    await derive(password, Buffer.alloc(SALT_BYTES), targetIterations);
    return { isRight: false, needsRehash: false };
  }
  const isRight = timingSafeEqual(
    await derive(password, Buffer.from(salt, "base64"), iterations),
    Buffer.from(hash, "base64"),
  );
  const missing = targetIterations - iterations;
  // A hash of before the iterations were raised is cheaper than the decoy: the difference would tell that there is an account.
  if (!isRight && missing > 0) await derive(password, Buffer.alloc(SALT_BYTES), missing);
  return { isRight, needsRehash: missing > 0 };
}
