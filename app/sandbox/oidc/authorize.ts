/**
 * The authorization endpoint: request validation, the sign-in page, and the redirect back (OpenID
 * Connect Core 3.1.2, RFC 9207).
 */
import { page, redirect } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { OidcFlaw } from "./flaws.ts";
import { findByEmail, isEmail } from "./people.ts";
import type { OidcClient, Person, Realm } from "./people.ts";
import { refusalPage, signInPage } from "./sign-in-page.ts";

export type AuthorizationRequest = {
  redirectUri: string;
  state: string;
  scopes: string[];
  nonce: string | null;
  codeChallenge: string | null;
};

export type AuthorizeRules = {
  client: OidcClient;
  autoApprove: boolean;
  issueCode(request: AuthorizationRequest, person: Person): string;
  takeFlaw(): OidcFlaw["callback"] | undefined;
};

type AuthorizationError = { error: string; description: string };

export function authorizeSignIn(realm: Realm, call: Call, rules: AuthorizeRules): ApiResponse {
  const { query } = call;
  const redirectUri = query.get("redirect_uri") ?? "";
  // Never redirects to an address that is not registered for the client.
  if (query.get("client_id") !== rules.client.clientId)
    return page(400, refusalPage(realm, "invalid_client", "There is no such client."));
  if (!rules.client.redirectUris.includes(redirectUri))
    return page(
      400,
      refusalPage(
        realm,
        "redirect_uri_mismatch",
        "The redirect_uri is not registered for this client.",
      ),
    );
  const state = query.get("state") ?? "";
  const goBack = (answer: Record<string, string>): ApiResponse =>
    redirect(
      callbackUrl(
        redirectUri,
        { ...answer, ...(state && { state }), iss: realm.issuer },
        rules.takeFlaw(),
      ),
    );

  const refusal = findAuthorizationError(query, rules.client);
  if (refusal) return goBack({ error: refusal.error, error_description: refusal.description });
  if (query.get("decision") === "cancel") return goBack({ error: "access_denied" });
  const person = choosePerson(realm, query, rules.autoApprove || query.get("auto") === "1");
  if (!person) {
    if (query.get("prompt") === "none") return goBack({ error: "login_required" });
    return page(
      200,
      signInPage(realm, query, query.get("decision") === "form" ? "Type an email address." : null),
    );
  }
  const scopes = (query.get("scope") ?? "").split(" ").filter(Boolean);
  const request = {
    redirectUri,
    state,
    scopes,
    nonce: query.get("nonce"),
    codeChallenge: query.get("code_challenge"),
  };
  return goBack({ code: rules.issueCode(request, person) });
}

function findAuthorizationError(
  query: URLSearchParams,
  client: OidcClient,
): AuthorizationError | null {
  const invalid = (description: string): AuthorizationError => ({
    error: "invalid_request",
    description,
  });
  if (query.get("response_type") !== "code")
    return { error: "unsupported_response_type", description: "response_type must be code" };
  if (!(query.get("scope") ?? "").split(" ").includes("openid"))
    return { error: "invalid_scope", description: "scope must contain openid" };
  if (!query.get("state")) return invalid("state is required");
  const challenge = query.get("code_challenge");
  if (challenge === null)
    return client.clientSecret === null
      ? invalid("code_challenge is required: this client is public")
      : null;
  if (query.get("code_challenge_method") !== "S256")
    return invalid("code_challenge_method must be S256");
  return /^[\w-]{43}$/.test(challenge)
    ? null
    : invalid("code_challenge is not a SHA-256 digest in base64url");
}

function choosePerson(realm: Realm, query: URLSearchParams, isAuto: boolean): Person | undefined {
  const chosen = query.get("as");
  if (chosen !== null) return realm.people().find(({ sub }) => sub === chosen);
  if (query.get("decision") === "form") {
    const email = (query.get("email") ?? "").trim();
    if (!isEmail(email)) return undefined;
    return realm.upsertUser({
      email,
      name: query.get("name")?.trim() || undefined,
      emailVerified: query.has("email_verified"),
    });
  }
  if (!isAuto) return undefined;
  const hint = query.get("login_hint");
  if (hint === null || !isEmail(hint)) return realm.people()[0];
  return (
    findByEmail(realm.people(), hint) ?? realm.upsertUser({ email: hint, emailVerified: true })
  );
}

function callbackUrl(
  redirectUri: string,
  answer: Record<string, string>,
  flaw: OidcFlaw["callback"] | undefined,
): string {
  const url = new URL(redirectUri);
  const parameters = { ...answer, ...flawedAnswer(flaw) };
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

/** The parameters that a planned flaw replaces; null omits one. */
function flawedAnswer(flaw: OidcFlaw["callback"] | undefined): Record<string, string | null> {
  switch (flaw) {
    case undefined:
      return {};
    case "no_iss":
      return { iss: null };
    case "wrong_iss":
      return { iss: "https://issuer.example" };
    case "wrong_state":
      return { state: "another-state" };
    case "no_state":
      return { state: null };
    case "wrong_code":
      return { code: "another-code" };
    default:
      return { code: null, error: flaw };
  }
}
