// An agent, and the browser of the shopper it redirects, over plain HTTP.
import { createHash, randomBytes } from "node:crypto";
import { SHOP, type Answer, type Service } from "../service.ts";

export const REDIRECT = "https://agent.example/callback";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** The body of a tool's call over MCP. */
export const toolCall = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

export const register = (
  service: Service,
  fields: Record<string, unknown> = {},
  shop = SHOP,
): Promise<Answer> =>
  service.call("POST", `/oauth/register?shop=${shop}`, {
    key: null,
    body: {
      client_name: "Ada's agent",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
      ...fields,
    },
  });

export async function newClient(
  service: Service,
  fields: Record<string, unknown> = {},
  shop = SHOP,
): Promise<string> {
  const answer = await register(service, fields, shop);
  if (answer.status !== 201) throw new Error(`the agent was not registered: ${answer.text}`);
  return answer.json.client_id;
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Omits a parameter that is undefined. */
export function authorizePath(
  client: string,
  challenge: string,
  changes: Record<string, string | undefined> = {},
  shop = SHOP,
): string {
  const query = {
    shop,
    response_type: "code",
    client_id: client,
    redirect_uri: REDIRECT,
    state: "st-1",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  };
  return `/oauth/authorize?${new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined))}`;
}

const cookieOf = (session: string | null): Record<string, string> =>
  session ? { Cookie: `__Host-crm_session=${session}` } : {};

export const openPage = (
  service: Service,
  path: string,
  session: string | null = null,
): Promise<Answer> => service.call("GET", path, { key: null, headers: cookieOf(session) });

export const csrfOf = (page: Answer): string =>
  /name="csrf" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? "";

export const submitPage = (
  service: Service,
  path: string,
  fields: Record<string, string>,
  session: string | null,
  headers: Record<string, string> = { Origin: service.url },
): Promise<Answer> =>
  service.call("POST", path, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { ...FORM, ...headers, ...cookieOf(session) },
  });

/** Where the answer leads the browser. */
export function answerTo({ status, headers, text }: Answer): URL {
  const location = headers.get("location");
  if (location === null) throw new Error(`leads nowhere: ${status} ${text}`);
  return new URL(location);
}

/** Walks through the authorization page as the person of `session` and approves. */
export async function approve(service: Service, path: string, session: string): Promise<Answer> {
  const page = await openPage(service, path, session);
  if (page.status !== 200)
    throw new Error(`no page to answer: ${page.status} ${page.headers.get("location")}`);
  return submitPage(service, path, { action: "approve", csrf: csrfOf(page) }, session);
}

export async function newCode(
  service: Service,
  client: string,
  session: string,
  changes: Record<string, string | undefined> = {},
  shop = SHOP,
): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const answer = await approve(service, authorizePath(client, challenge, changes, shop), session);
  return { code: answerTo(answer).searchParams.get("code") as string, verifier };
}

export const postForm = (
  service: Service,
  path: string,
  fields: Record<string, string>,
  shop = SHOP,
): Promise<Answer> =>
  service.call("POST", `${path}?shop=${shop}`, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: FORM,
  });

export const swapCode = (
  service: Service,
  client: string,
  { code, verifier }: { code: string; verifier: string },
  changes: Record<string, string> = {},
  shop = SHOP,
): Promise<Answer> =>
  postForm(
    service,
    "/oauth/token",
    {
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
      ...changes,
    },
    shop,
  );

export const refresh = (
  service: Service,
  client: string,
  token: string,
  changes: Record<string, string> = {},
  shop = SHOP,
): Promise<Answer> =>
  postForm(
    service,
    "/oauth/token",
    { grant_type: "refresh_token", client_id: client, refresh_token: token, ...changes },
    shop,
  );

export type Tokens = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
  scope: string;
};

export async function newTokens(
  service: Service,
  client: string,
  session: string,
  changes: Record<string, string | undefined> = {},
  shop = SHOP,
): Promise<Tokens> {
  const answer = await swapCode(
    service,
    client,
    await newCode(service, client, session, changes, shop),
    {},
    shop,
  );
  if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
  return answer.json;
}
