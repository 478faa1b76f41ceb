/** A minimal strict relying party: discovery, PKCE, state, nonce, and token validation by jose. */
import { createHash, randomBytes } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { JWTPayload } from "jose";
import { send } from "./sandbox-fixture.ts";

export type Metadata = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  userinfo_endpoint: string;
  end_session_endpoint: string;
};
export type Client = { id: string; secret?: string; redirectUri: string; scope?: string };
export type Attempt = { verifier: string; challenge: string; state: string; nonce: string };
type Answer = { status: number; body: any; headers: Headers };

const FORM = { "content-type": "application/x-www-form-urlencoded" };

export async function discover(base: string): Promise<Metadata> {
  return (await send("GET", `${base}/.well-known/openid-configuration`, undefined))
    .body as Metadata;
}

export function newAttempt(): Attempt {
  const [verifier, state, nonce] = [random(), random(), random()];
  return {
    verifier,
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    state,
    nonce,
  };
}

/** Opens the authorization endpoint; `changes` replace parameters, null omits one. */
export async function authorize(
  metadata: Metadata,
  client: Client,
  attempt: Attempt,
  changes: Record<string, string | null> = {},
): Promise<Answer & { callback: URLSearchParams }> {
  const parameters = {
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: "code",
    scope: client.scope ?? "openid email",
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: attempt.challenge,
    code_challenge_method: "S256",
    auto: "1",
    ...changes,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const answer = await send("GET", `${metadata.authorization_endpoint}?${query}`, undefined);
  return {
    ...answer,
    callback:
      URL.parse(answer.headers.get("location") ?? "")?.searchParams ?? new URLSearchParams(),
  };
}

export function redeem(
  metadata: Metadata,
  client: Client,
  code: string,
  verifier: string | null,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return token(
    metadata,
    {
      grant_type: "authorization_code",
      code,
      redirect_uri: client.redirectUri,
      ...(!("authorization" in headers) && {
        client_id: client.id,
        ...(client.secret !== undefined && { client_secret: client.secret }),
      }),
      ...(verifier !== null && { code_verifier: verifier }),
      ...changes,
    },
    headers,
  );
}

export function token(
  metadata: Metadata,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send("POST", metadata.token_endpoint, new URLSearchParams(fields).toString(), {
    ...FORM,
    ...headers,
  });
}

/** From the first redirect to the token response. */
export async function signIn(
  metadata: Metadata,
  client: Client,
  email: string,
): Promise<Answer & { attempt: Attempt }> {
  const attempt = newAttempt();
  const { callback } = await authorize(metadata, client, attempt, { login_hint: email });
  return {
    ...(await redeem(metadata, client, callback.get("code") ?? "", attempt.verifier)),
    attempt,
  };
}

/** Validates everything OpenID Connect Core 3.1.3.7 requires; throws for an invalid token. */
export async function verify(
  metadata: Metadata,
  client: Client,
  idToken: string,
  nonce: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(idToken, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
    issuer: metadata.issuer,
    audience: client.id,
    algorithms: ["RS256"],
    requiredClaims: ["sub", "exp", "iat", "nonce"],
  });
  if (payload.nonce !== nonce) throw new Error("another nonce");
  if (Array.isArray(payload.aud)) throw new Error("several audiences");
  if ((payload.iat ?? 0) > Date.now() / 1000 + 60) throw new Error("issued in the future");
  return payload;
}

function random(): string {
  return randomBytes(32).toString("base64url");
}
