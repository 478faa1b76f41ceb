// Passwords: their rules, and the self-describing hash `pbkdf2-sha256$<iterations>$<salt>$<hash>`
// (DECISIONS 6).
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Random } from "../../../runtime/clock.ts";
import type { Connection } from "../../tenants/tenant.ts";
import { MAX_PASSWORD_ITERATIONS, type TenantConfig } from "../../tenants/tenant-config.ts";
import { derive } from "./password-hasher.ts";

const SALT_BYTES = 16;
/** A stored hash with more iterations is rejected without computing it: it would be an attack. */
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

/** Any text submitted at a sign-in: an invalid one is a wrong password, not an invalid request. */
export const TypedPassword = z
  .string()
  .max(2_000)
  .transform((text) => text.normalize("NFKC"));

/** The store that the work is done for, and counted against. */
type HashingStore = {
  shop: string;
  config: Pick<TenantConfig, "password_iterations">;
  connection?: Pick<Connection, "lowered_password_iterations">;
};

/** A record saved before the limit existed gets at most the limit. */
const targetOf = ({ config }: HashingStore): number =>
  Math.min(config.password_iterations, MAX_PASSWORD_ITERATIONS);

/** The work of a failed sign-in: no account's hash, made before the setting was lowered, may cost more. */
const failureCostOf = (store: HashingStore): number =>
  Math.min(
    Math.max(targetOf(store), store.connection?.lowered_password_iterations ?? 0),
    MAX_PASSWORD_ITERATIONS,
  );

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
 * Whether the password matches the stored hash. For an account without one, or no account, the same
 * work is done against a decoy, so that the duration reveals nothing.
 */
export async function verifyPassword(
  password: string,
  stored: string,
  store: HashingStore,
): Promise<{ isRight: boolean; needsRehash: boolean }> {
  const { shop } = store;
  const targetIterations = targetOf(store);
  const failureCost = failureCostOf(store);
  const decoy = (iterations: number) =>
    derive({ shop, password, salt: Buffer.alloc(SALT_BYTES), iterations });
  const [, count, salt, hash] = SHAPE.exec(stored) ?? [];
  const iterations = Number(count);
  if (!count || !salt || !hash || iterations < 1 || iterations > MAX_STORED_ITERATIONS) {
    await decoy(failureCost);
    return { isRight: false, needsRehash: false };
  }
  const isRight = timingSafeEqual(
    await derive({ shop, password, salt: Buffer.from(salt, "base64"), iterations }),
    Buffer.from(hash, "base64"),
  );
  // A hash with an earlier iteration count is cheaper than the decoy: the difference would reveal
  // that the account exists.
  if (!isRight && failureCost > iterations) await decoy(failureCost - iterations);
  return { isRight, needsRehash: targetIterations > iterations };
}
