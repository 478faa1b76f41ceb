// SD-JWTs (RFC 9901) as AP2 chains them: an issuer's token, and behind `~~` a token of the key that it
// names. jose signs and verifies; here is what stands around a JWS: disclosures and their digests.
import { hash, type KeyObject } from "node:crypto";
import { compactVerify, CompactSign, decodeProtectedHeader } from "jose";
import type { Random } from "../../../runtime/clock.ts";

export const MAX_TOKEN_LENGTH = 200_000;
const MAX_DISCLOSURES = 32;
const MAX_DEPTH = 16;
const SALT_BYTES = 16;

export type Json = Record<string, unknown>;
/** A token without its meaning. `text` ends with `~`, as its hash is taken. */
export type SdJwt = { text: string; jwt: string; disclosures: readonly string[] };
type Header = { alg: unknown; typ: unknown; kid: unknown };

/** Something that is no token of this kind. */
export class MalformedToken extends Error {}

export const sha256 = (text: string): string => hash("sha256", text, "base64url");

const toPart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Collects the disclosures of one token while its payload is built. */
export function disclosing(random: Random) {
  const disclosures: string[] = [];
  const add = (...value: unknown[]): string => {
    const disclosure = toPart([random.bytes(SALT_BYTES).toString("base64url"), ...value]);
    disclosures.push(disclosure);
    return sha256(disclosure);
  };
  return {
    disclosures: disclosures as readonly string[],
    /** What stands in an array in place of the value. */
    element: (value: unknown) => ({ "...": add(value) }),
    /** What stands in `_sd` in place of the claim. */
    claim: (name: string, value: unknown) => add(name, value),
  };
}

export async function signSdJwt(
  key: KeyObject,
  header: { typ: string; kid: string },
  payload: Json,
  disclosures: readonly string[],
): Promise<string> {
  const body = Buffer.from(JSON.stringify({ ...payload, _sd_alg: "sha-256" }));
  const jwt = await new CompactSign(body).setProtectedHeader({ alg: "ES256", ...header }).sign(key);
  return `${[jwt, ...disclosures].join("~")}~`;
}

/** The token of an issuer, and the one that is chained to it. */
export const chain = (open: string, closed: string): string => `${open}~${closed}`;

/** One token, or two of a chain. Throws MalformedToken. */
export function splitChain(text: string): [SdJwt] | [SdJwt, SdJwt] {
  if (text.length > MAX_TOKEN_LENGTH) throw new MalformedToken("too long");
  const [first = "", second, ...more] = text.split("~~");
  if (more.length > 0) throw new MalformedToken("more than two tokens");
  // The chain's separator took the one that ends the first token.
  if (second === undefined) return [toSdJwt(first)];
  return [toSdJwt(`${first}~`), toSdJwt(second)];
}

function toSdJwt(text: string): SdJwt {
  const [jwt = "", ...rest] = text.split("~");
  if (rest.pop() !== "") throw new MalformedToken("no separator at the end");
  if (rest.length > MAX_DISCLOSURES) throw new MalformedToken("too many disclosures");
  return { text, jwt, disclosures: rest };
}

/** Throws MalformedToken. */
export function readHeader({ jwt }: SdJwt): Header {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(jwt);
    return { alg, typ, kid };
  } catch {
    throw new MalformedToken("no header");
  }
}

/** The payload of a JWS by this key; null when the signature is another's. */
export async function verifiedPayload(
  jwt: string,
  key: Parameters<typeof compactVerify>[1],
): Promise<unknown> {
  try {
    const { payload } = await compactVerify(jwt, key, { algorithms: ["ES256"] });
    return readJson(Buffer.from(payload).toString("utf8"));
  } catch (error) {
    if (error instanceof MalformedToken) throw error;
    return null;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedToken("no JSON");
  }
}

/**
 * The payload with every disclosure in its place (RFC 9901, section 7.1). Throws MalformedToken for a
 * disclosure that nothing names, that is named twice, or that would replace a claim.
 */
export function withDisclosures(payload: unknown, { disclosures }: SdJwt): Json {
  const open = new Map<string, unknown[]>();
  for (const disclosure of disclosures) {
    const value = readJson(Buffer.from(disclosure, "base64url").toString("utf8"));
    if (!Array.isArray(value) || typeof value[0] !== "string")
      throw new MalformedToken("no disclosure");
    open.set(sha256(disclosure), value);
  }
  if (open.size < disclosures.length) throw new MalformedToken("a disclosure twice");
  const take = (digest: unknown, length: number): unknown[] | null => {
    const found = typeof digest === "string" ? open.get(digest) : undefined;
    if (!found) return null;
    if (found.length !== length) throw new MalformedToken("a disclosure of the other kind");
    open.delete(digest as string);
    return found;
  };
  const walk = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new MalformedToken("too deep");
    if (Array.isArray(value))
      return value.flatMap((item: unknown) => {
        if (!isObject(item) || !("..." in item)) return [walk(item, depth + 1)];
        const found = take(item["..."], 2);
        return found ? [walk(found[1], depth + 1)] : [];
      });
    if (!isObject(value)) return value;
    const claims = new Map<string, unknown>();
    for (const [name, item] of Object.entries(value))
      if (name !== "_sd") claims.set(name, walk(item, depth + 1));
    for (const digest of Array.isArray(value._sd) ? (value._sd as unknown[]) : []) {
      const [, name, item] = take(digest, 3) ?? [];
      if (name === undefined) continue;
      if (typeof name !== "string" || name === "_sd" || name === "..." || claims.has(name))
        throw new MalformedToken("a disclosure that replaces a claim");
      claims.set(name, walk(item, depth + 1));
    }
    return Object.fromEntries(claims);
  };
  const read = walk(payload, 0);
  if (!isObject(read) || read._sd_alg !== "sha-256") throw new MalformedToken("no claims");
  if (open.size > 0) throw new MalformedToken("a disclosure that nothing names");
  return read;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
