/** The end of a sign-in at the provider (OpenID Connect RP-Initiated Logout 1.0). */
import { json, page, redirect } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";
import { isOriginOf } from "../loopback-guard.ts";
import { decodeClaims } from "./keys.ts";
import type { Realm } from "./people.ts";
import { signedOutPage } from "./sign-in-page.ts";

type SignOutParts = {
  appUrl: string;
  /** `sub`: null when the token names nobody; `back`: where the browser goes then. */
  endSignIn(signedOut: { sub: string | null; back: string | null }): void;
};

export function signOut(
  realm: Realm,
  call: Call,
  { appUrl, endSignIn }: SignOutParts,
): ApiResponse {
  const hint = call.query.get("id_token_hint");
  const back = call.query.get("post_logout_redirect_uri");
  if (hint === null) return invalidRequest("id_token_hint is required");
  if (back !== null && !isOriginOf(appUrl, back))
    return invalidRequest("The post_logout_redirect_uri is not registered");
  const { sub } = decodeClaims(hint);
  endSignIn({ sub: typeof sub === "string" ? sub : null, back });
  if (back === null) return page(200, signedOutPage(realm));
  const target = new URL(back);
  const state = call.query.get("state");
  if (state !== null) target.searchParams.set("state", state);
  return redirect(target.href);
}

const invalidRequest = (description: string): ApiResponse =>
  json(400, { error: "invalid_request", error_description: description });
