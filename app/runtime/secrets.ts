// Encryption of secrets at rest (DECISIONS 4): AES-256-GCM with the secret's place as authenticated
// data, so that an encrypted value copied to another tenant or field cannot be decrypted.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";
import type { Random } from "./clock.ts";

/** The beginning of every sealed value. */
export const SEALED_PREFIX = "sealed:v1:";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A stored secret that this process cannot read. */
class SecretsKeyError extends Error {
  override name = "SecretsKeyError";
}

export type Secrets = {
  /**
   * Encrypts `plain` for one `place`, for example `name.myshopify.com/storefront_refresh_token`.
   */
  seal(place: string, plain: string): string;
  /**
   * Decrypts what `seal` encrypted for the same place; throws a SecretsKeyError when it was altered,
   * moved, or encrypted under another key.
   */
  unseal(place: string, sealed: string): string;
  /** A keyed hash for look-ups by a value that must not be stored in clear text. Hex. */
  pseudonym(place: string, value: string): string;
};

export function isSealed(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(SEALED_PREFIX);
}

export function createSecrets(key: Buffer, random: Random): Secrets {
  const sealingKey: KeyObject = createSecretKey(key);
  const pseudonymKey = createSecretKey(createHmac("sha256", key).update("pseudonym").digest());
  return {
    seal(place, plain) {
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return SEALED_PREFIX + Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    unseal(place, sealed) {
      const raw = Buffer.from(sealed.slice(SEALED_PREFIX.length), "base64");
      try {
        const decipher = createDecipheriv("aes-256-gcm", sealingKey, raw.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(raw.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return (
          decipher.update(raw.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") +
          decipher.final("utf8")
        );
      } catch {
        throw new SecretsKeyError(
          `The secret at ${place} does not open with this SECRETS_KEY. Set the key that the database was first used with.`,
        );
      }
    },
    pseudonym(place, value) {
      return createHmac("sha256", pseudonymKey).update(`${place}\n${value}`).digest("hex");
    },
  };
}

/** Constant-time equality of two secrets of any length. */
export function secretEquals(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
