// Hand-made session tokens after the documented rule, and every way to make them invalid.
import { createHmac, hkdfSync } from "node:crypto";

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined): any =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));

export const headerOf = (token: string): any => decode(token.split(".")[0]);
export const claimsOf = (token: string): any => decode(token.split(".")[1]);

export function signed(header: unknown, claims: unknown, secret: Buffer | string): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

/** A store's signing key when neither it nor the deployment has set one. */
export const derivedSecret = (jwtSecret: string, shop: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(jwtSecret, "utf8"), Buffer.alloc(0), shop, 32));
