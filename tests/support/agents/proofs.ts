// Mandates' proofs in tests: read with nothing but AP2's text, RFC 9901 and jose, so that the service's own
// code checks nothing of what it made; and forged.
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compactVerify, CompactSign, importJWK } from "jose";
import { isFetched, sourceFolder } from "../../../scripts/protocol-sources.ts";
import { SHOP, type Answer, type Service } from "../service.ts";

export const sha256 = (text: string): string =>
  createHash("sha256").update(text).digest("base64url");
export const decode = (part: string): any =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
export const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The tokens of a chain, each as its hash is taken. */
export const tokensOf = (chain: string): string[] => {
  const [first = "", second] = chain.split("~~");
  return second === undefined ? [first] : [`${first}~`, second];
};

export const proofOf = (
  service: Service,
  id: string,
  key: string | undefined,
  query = "",
  shop = SHOP,
): Promise<Answer> =>
  service.call("GET", `/commerce/mandates/${id}/proof?shop=${shop}${query}`, {
    ...(key !== undefined && { key }),
  });

export const check = (service: Service, proof: unknown, shop = SHOP): Promise<Answer> =>
  service.call("POST", `/commerce/mandates/verify?shop=${shop}`, { key: null, body: { proof } });

/** What failed, as `check: reason`. */
export const failures = ({ json }: Answer): string[] =>
  json.mandates.flatMap(({ checks }: any) =>
    checks
      .filter(({ outcome }: any) => outcome === "failed")
      .map((one: any) => `${one.check}: ${one.reason}`),
  );

export const publishedKey = async (service: Service, shop = SHOP): Promise<any> =>
  (await service.call("GET", `/.well-known/ucp?shop=${shop}`, { key: null })).json.keys[0];

/** The mandate of a token, its signature checked with the key and every disclosure in its place. */
export async function readToken(token: string, key: any): Promise<any> {
  const [jwt = "", ...rest] = token.split("~");
  const { payload } = await compactVerify(jwt, await importJWK(key, "ES256"));
  const byDigest = new Map(rest.slice(0, -1).map((one) => [sha256(one), decode(one)]));
  const resolve = (value: any): any => {
    if (Array.isArray(value))
      return value.map((item) => resolve(item?.["..."] ? byDigest.get(item["..."])?.[1] : item));
    if (typeof value !== "object" || value === null) return value;
    const { _sd: digests = [], ...claims } = value;
    for (const digest of digests) {
      const [, name, claim] = byDigest.get(digest);
      claims[name] = claim;
    }
    return Object.fromEntries(Object.entries(claims).map(([name, item]) => [name, resolve(item)]));
  };
  const read = resolve(JSON.parse(Buffer.from(payload).toString("utf8")));
  return { ...read, mandate: read.delegate_payload[0] };
}

/** A token with another content, signed with another key under the header of the first. */
export async function forge(
  token: string,
  change: { header?: object; payload?: (payload: any) => any; disclosures?: string[] },
  key: KeyObject = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
): Promise<string> {
  const [jwt = "", ...rest] = token.split("~");
  const [header = "", payload = ""] = jwt.split(".");
  const content = change.payload?.(decode(payload)) ?? decode(payload);
  const signed = await new CompactSign(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ ...decode(header), ...change.header })
    .sign(key);
  return `${[signed, ...(change.disclosures ?? rest.slice(0, -1))].join("~")}~`;
}

export const hasAp2Schemas = isFetched("ap2-0.2");

/** What is wrong with the value, by AP2's published schema. */
export function ap2Problems(): (name: string, value: unknown) => string[] {
  const folder = join(sourceFolder("ap2-0.2"), "code/sdk/schemas");
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const ids = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".json")) continue;
    const schema = JSON.parse(readFileSync(join(folder, path), "utf8"));
    ids.set(path, schema.$id);
    ajv.addSchema(schema);
  }
  return (name, value) => {
    const validate = ajv.getSchema(ids.get(name) as string);
    if (!validate) throw new Error(`AP2 publishes no ${name}`);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error));
  };
}
