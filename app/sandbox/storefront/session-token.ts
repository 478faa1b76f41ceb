/**
 * The session tokens that the sandbox issues: in the admin to an embedded app and its extensions, in customer
 * accounts to the app's extensions (shopify.dev "Session tokens", "Session Token API").
 */
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { AppCredentials } from "./tokens.ts";

const LIFETIME_SECONDS = 60;
/** The lifetime of a token for customer accounts. */
const ACCOUNT_LIFETIME_SECONDS = 300;

function sign(claims: Record<string, string>, seconds: number, app: AppCredentials) {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setAudience(app.clientId)
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + seconds)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(app.clientSecret));
}

export const mintSessionToken = (domain: string, app: AppCredentials): Promise<string> =>
  sign(
    { iss: `https://${domain}/admin`, dest: `https://${domain}`, sid: randomUUID(), sub: "1" },
    LIFETIME_SECONDS,
    app,
  );

/** Without an issuer, and with the bare domain, as the platform does. */
export const mintCustomerToken = (
  domain: string,
  customerGid: string,
  app: AppCredentials,
): Promise<string> => sign({ dest: domain, sub: customerGid }, ACCOUNT_LIFETIME_SECONDS, app);
