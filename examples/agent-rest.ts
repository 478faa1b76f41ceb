// An agent finds a store, is allowed by a shopper, and prepares a checkout for them.
import { createHash, randomBytes } from "node:crypto";
import { connect, expectData, SERVICE_URL, SHOP } from "./client/client.ts";

const REDIRECT = "https://agent.example/callback";
const anybody = connect();

// 1. Discovery: what the store offers, and where tokens come from.
const card = expectData(await anybody.GET("/.well-known/agent-card.json"));
const server = expectData(await anybody.GET("/.well-known/oauth-authorization-server"));
console.log(`Found ${card.name}; tokens come from ${server.issuer}.`);

// 2. Registration as a public client.
const agent = expectData(
  await anybody.POST("/oauth/register", {
    body: {
      client_name: "Shopping helper",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
    },
  }),
);

// 3. The shopper allows it. In life this is their browser; here the example plays both.
const verifier = randomBytes(32).toString("base64url");
const code = await allowAsShopper(
  `/oauth/authorize?${new URLSearchParams({
    shop: SHOP,
    response_type: "code",
    client_id: agent.client_id,
    redirect_uri: REDIRECT,
    state: "example",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  })}`,
);

// 4. The code becomes an access token.
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
console.log(`May: ${token.scope}`);

// 5. The agent acts: who is it for, what is there, a checkout for it.
const forShopper = connect(token.access_token);
const identity = expectData(await forShopper.GET("/commerce/identity"));
console.log(`Acts for ${identity.email}.`);

const { products } = expectData(await forShopper.GET("/commerce/products"));
const variant = products.flatMap(({ variants }) => variants).find(({ available }) => available);
if (!variant) throw new Error("the store has nothing to sell");

const checkout = expectData(
  await forShopper.POST("/commerce/checkout", {
    body: { line_items: [{ variant_id: variant.id, quantity: 1 }] },
  }),
);
console.log(
  `Checkout ${checkout.status}: ${checkout.totals.total} ${checkout.currency}, paid at ${checkout.checkout_url}`,
);

async function allowAsShopper(path: string): Promise<string> {
  const session = expectData(
    await anybody.POST("/auth/signup", {
      body: {
        email: `grace-${Date.now()}@example.com`,
        password: "correct horse battery staple",
        consent_tos: true,
        consent_privacy: true,
      },
    }),
  );
  if (!("token" in session)) throw new Error("the store verifies addresses first");
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
