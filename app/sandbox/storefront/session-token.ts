/** The session tokens that the sandbox's admin issues to an embedded app (shopify.dev "Session tokens"). */
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { AppCredentials } from "./tokens.ts";

const LIFETIME_SECONDS = 60;

export async function mintSessionToken(domain: string, app: AppCredentials): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ dest: `https://${domain}`, sid: randomUUID() })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(`https://${domain}/admin`)
    .setAudience(app.clientId)
    .setSubject("1")
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(app.clientSecret));
}
