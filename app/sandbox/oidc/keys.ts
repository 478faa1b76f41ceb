/**
 * Signing keys of a sandbox identity provider, and hand-built JWTs, including ones that no library would
 * make.
 */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";

export type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject };
export type KeyRing = ReturnType<typeof createKeyRing>;

/**
 * The first key of each provider and the one that it never publishes. Sandboxes of one process share
 * them, because a key takes a tenth of a second to make.
 */
const made = new Map<string, SigningKey>();

function keyOf(name: string): SigningKey {
  const key = made.get(name) ?? newKey();
  made.set(name, key);
  return key;
}

export function createKeyRing(provider: string) {
  // Newest first: the first signs, all are published.
  let keys: SigningKey[] = [];
  const current = (): SigningKey => {
    const key = keys[0] ?? keyOf(provider);
    if (keys.length === 0) keys = [key];
    return key;
  };
  return {
    current,
    /** A key that is never published. */
    foreign: (): SigningKey => keyOf(`${provider}, unpublished`),
    jwks: () => {
      current();
      return {
        keys: keys.map(({ kid, publicKey }) => ({
          ...publicKey.export({ format: "jwk" }),
          kid,
          use: "sig",
          alg: "RS256",
        })),
      };
    },
    rotate({ keepOld, keepsId }: { keepOld: boolean; keepsId: boolean }): string {
      const { kid } = current();
      keys = [{ ...newKey(), ...(keepsId && { kid }) }, ...(keepOld ? keys : [])];
      return current().kid;
    },
  };
}

export function encodeJwt(
  header: Record<string, unknown>,
  claims: Record<string, unknown>,
  sign: (input: string) => Buffer,
): string {
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign(input).toString("base64url")}`;
}

export function decodeClaims(jwt: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString("utf8")) as Record<
      string,
      unknown
    >;
  } catch {
    return {};
  }
}

function newKey(): SigningKey {
  return { kid: randomUUID(), ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
}
