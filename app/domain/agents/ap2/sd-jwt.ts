// SD-JWTs (RFC 9901) as AP2 chains them: an issuer's token, and behind `~~` a token of the key that it
// names. jose signs and verifies; here is what stands around a JWS: disclosures and their digests.
import { hash, type KeyObject } from "node:crypto";
import { compactVerify, CompactSign, decodeProtectedHeader } from "jose";
import type { Random } from "../../../runtime/clock.ts";

const MAX_TOKEN_LENGTH = 200_000;
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
  const undisclosed = readDisclosures(disclosures);
  const claims = disclose(payload, undisclosed, 0);
  if (!isObject(claims) || claims._sd_alg !== "sha-256") throw new MalformedToken("no claims");
  if (undisclosed.size > 0) throw new MalformedToken("a disclosure that nothing names");
  return claims;
}

/** By its digest: `[salt, value]` of an array's element, `[salt, name, value]` of a claim. */
type Disclosures = Map<string, unknown[]>;
const ELEMENT_LENGTH = 2;
const CLAIM_LENGTH = 3;

function readDisclosures(texts: readonly string[]): Disclosures {
  const disclosures: Disclosures = new Map();
  for (const text of texts) {
    const value = readJson(Buffer.from(text, "base64url").toString("utf8"));
    if (!Array.isArray(value) || typeof value[0] !== "string")
      throw new MalformedToken("no disclosure");
    disclosures.set(sha256(text), value);
  }
  if (disclosures.size < texts.length) throw new MalformedToken("a disclosure twice");
  return disclosures;
}

/** Each disclosure is used once. Null for a digest without one: the holder keeps that value back. */
function take(from: Disclosures, digest: unknown, length: number): unknown[] | null {
  if (typeof digest !== "string") return null;
  const found = from.get(digest);
  if (!found) return null;
  if (found.length !== length) throw new MalformedToken("a disclosure of the other kind");
  from.delete(digest);
  return found;
}

/** The value with what stands behind its digests, which leave `from`. */
function disclose(value: unknown, from: Disclosures, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new MalformedToken("too deep");
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => {
      if (!isObject(item) || !("..." in item)) return [disclose(item, from, depth + 1)];
      const found = take(from, item["..."], ELEMENT_LENGTH);
      return found ? [disclose(found[1], from, depth + 1)] : [];
    });
  return isObject(value) ? discloseClaims(value, from, depth) : value;
}

function discloseClaims(object: Json, from: Disclosures, depth: number): Json {
  const claims = new Map<string, unknown>();
  for (const [name, item] of Object.entries(object))
    if (name !== "_sd") claims.set(name, disclose(item, from, depth + 1));
  const digests = Array.isArray(object._sd) ? (object._sd as unknown[]) : [];
  for (const digest of digests) {
    const found = take(from, digest, CLAIM_LENGTH);
    if (!found) continue;
    const [, name, item] = found;
    if (typeof name !== "string" || name === "_sd" || name === "..." || claims.has(name))
      throw new MalformedToken("a disclosure that replaces a claim");
    claims.set(name, disclose(item, from, depth + 1));
  }
  return Object.fromEntries(claims);
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
