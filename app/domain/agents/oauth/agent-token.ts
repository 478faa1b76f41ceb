// Agents' secrets: 256 random bits, stored as SHA-256. An access token contains its store's name in
// clear text, so that a call needs no `?shop=`; its permissions are in the database only.
import { hash } from "node:crypto";
import type { Random } from "../../../runtime/clock.ts";
import { SHOP_PATTERN } from "../../tenants/tenant-config.ts";

export const TOKEN_SECONDS = { code: 60, access: 3_600, refresh: 2_592_000 } as const;
export type TokenKind = keyof typeof TOKEN_SECONDS;

const PREFIX: Record<TokenKind, string> = { code: "agc", access: "agt", refresh: "agr" };
const SHAPE = /^agt_([\w-]{1,200})\.[\w-]{43}$/;

export function mintSecret(random: Random, shop: string, kind: TokenKind): string {
  return `${PREFIX[kind]}_${Buffer.from(shop).toString("base64url")}.${random.bytes(32).toString("base64url")}`;
}

export const hashSecret = (secret: string): string => hash("sha256", secret);

/** Whether a bearer token is an agent's: by its prefix, which no session token has. */
export const isAgentToken = (token: string): boolean => token.startsWith("agt_");

/** The shop that an agent's token claims: a hint, unverified until the token is looked up there. */
export function shopOfAgentToken(token: string): string | null {
  const encoded = SHAPE.exec(token)?.[1];
  const shop = encoded ? Buffer.from(encoded, "base64url").toString("utf8") : "";
  return SHOP_PATTERN.test(shop) ? shop : null;
}
