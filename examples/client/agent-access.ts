// How an agent gets its access token, whichever protocol it speaks afterwards: registration, the
// shopper's approval, and the exchange of the code. In life the shopper's part is their browser.
import { createHash, randomBytes } from "node:crypto";
import { connect, expectData, SERVICE_URL, SHOP } from "./client.ts";

const REDIRECT = "https://agent.example/callback";

/** `scope`: as the server's metadata names them. */
export async function getAgentToken(name: string, scope: string): Promise<string> {
  const anybody = connect();
  const agent = expectData(
    await anybody.POST("/oauth/register", {
      body: {
        client_name: name,
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "none",
      },
    }),
  );
  const verifier = randomBytes(32).toString("base64url");
  const code = await allowAsShopper(
    `/oauth/authorize?${new URLSearchParams({
      shop: SHOP,
      response_type: "code",
      client_id: agent.client_id,
      redirect_uri: REDIRECT,
      scope,
      state: "example",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    })}`,
  );
  const token = expectData(
    await anybody.POST("/oauth/token", {
      body: {
        grant_type: "authorization_code",
        client_id: agent.client_id,
        redirect_uri: REDIRECT,
        code,
        code_verifier: verifier,
      },
      bodySerializer: (fields) => new URLSearchParams(fields as Record<string, string>),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
  );
  return token.access_token;
}

/** A new shopper who lets agents pay, and approves this one on the consent page. */
async function allowAsShopper(path: string): Promise<string> {
  const session = expectData(
    await connect().POST("/auth/signup", {
      body: {
        email: `grace-${randomBytes(6).toString("hex")}@example.com`,
        password: "correct horse battery staple",
        consent_tos: true,
        consent_privacy: true,
      },
    }),
  );
  if (!("token" in session)) throw new Error("the store verifies addresses first");
  expectData(
    await connect(session.token).POST("/auth/consent-sync", {
      body: { method: "compliance-page", consent_ap2: true },
    }),
  );
  const headers = { Cookie: `__Host-crm_session=${session.token}` };
  const page = await (await fetch(SERVICE_URL + path, { headers })).text();
  const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(page)?.[1] ?? "";
  const answer = await fetch(SERVICE_URL + path, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, Origin: new URL(SERVICE_URL).origin },
    body: new URLSearchParams({ action: "approve", csrf }),
  });
  const location = answer.headers.get("location");
  const granted = location && new URL(location).searchParams.get("code");
  if (!granted) throw new Error(`the shopper could not allow it: ${answer.status}`);
  return granted;
}
