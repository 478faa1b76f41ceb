// The session token of a request for an embedded page, as far as the app library does not read it itself.
import { createHmac } from "node:crypto";
import { decodeJwt } from "jose";
import { secretEquals } from "../../runtime/secrets.ts";
import { isOfStaff, staffOf } from "./staff-guard.ts";

/** As the admin's own requests carry it, or in the address of the first page. */
export function sessionTokenOf(request: Request): string | null {
  return (
    request.headers.get("authorization")?.replace(/^Bearer /, "") ??
    new URL(request.url).searchParams.get("id_token")
  );
}

/** A token that can be read and is no staff member's: the library would exchange it. */
export function isOfSomebodyElse(token: string | null): boolean {
  try {
    return token !== null && !isOfStaff(decodeJwt(token));
  } catch {
    return false;
  }
}

/** The staff member's id in a token that was verified before. */
export const staffIn = (token: string | null): string | null =>
  staffOf(token ? decodeJwt(token).sub : undefined);

/** During a rotation two secrets are in force; the library knows one. */
export function isSignedWith(token: string, secret: string): boolean {
  const end = token.lastIndexOf(".");
  return secretEquals(
    createHmac("sha256", secret)
      .update(token.slice(0, Math.max(end, 0)))
      .digest("base64url"),
    token.slice(end + 1),
  );
}
