// Passwords: their rules, and the self-describing hash `pbkdf2-sha256$<iterations>$<salt>$<hash>` (DECISIONS 6).
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Random } from "../../runtime/clock.ts";
import { MAX_PASSWORD_ITERATIONS, type TenantConfig } from "../tenants/tenant-config.ts";
import { derive } from "./password-hasher.ts";

const SALT_BYTES = 16;
/** A stored hash that asks for more work than this is refused, not computed: it would be an attack. */
const MAX_STORED_ITERATIONS = 2_000_000;
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

/** The store that the work is done for, and counted against. */
type HashingStore = { shop: string; config: Pick<TenantConfig, "password_iterations"> };

/** Of a record that was saved before the bound stood there, no more than the bound. */
const targetOf = ({ config }: HashingStore): number =>
  Math.min(config.password_iterations, MAX_PASSWORD_ITERATIONS);

export async function hashPassword(
  random: Random,
  password: string,
  store: HashingStore,
): Promise<string> {
  const salt = random.bytes(SALT_BYTES);
  const iterations = targetOf(store);
  const hash = await derive({ shop: store.shop, password, salt, iterations });
  return `pbkdf2-sha256$${iterations}$${salt.toString("base64")}$${hash.toString("base64")}`;
}

/**
 * Whether the password is the stored one. For an account that has none, or is not there, the same work is done against a
 * decoy, so that the time tells nothing.
 */
export async function verifyPassword(
  password: string,
  stored: string,
  store: HashingStore,
): Promise<{ isRight: boolean; needsRehash: boolean }> {
  const { shop } = store;
  const targetIterations = targetOf(store);
  const decoy = (iterations: number) =>
    derive({ shop, password, salt: Buffer.alloc(SALT_BYTES), iterations });
  const [, count, salt, hash] = SHAPE.exec(stored) ?? [];
  const iterations = Number(count);
  if (!count || !salt || !hash || iterations < 1 || iterations > MAX_STORED_ITERATIONS) {
    await decoy(targetIterations);
    return { isRight: false, needsRehash: false };
  }
  const isRight = timingSafeEqual(
    await derive({ shop, password, salt: Buffer.from(salt, "base64"), iterations }),
    Buffer.from(hash, "base64"),
  );
  const missing = targetIterations - iterations;
  // A hash of before the iterations were raised is cheaper than the decoy: the difference would tell that there is an account.
  if (!isRight && missing > 0) await decoy(missing);
  return { isRight, needsRehash: missing > 0 };
}
