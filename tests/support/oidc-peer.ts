// A certified OpenID provider (npm oidc-provider) on loopback: an independent implementation.
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

type PeerClient = {
  id: string;
  /** Absent: a public client, which must use PKCE. */
  secret?: string;
  redirectUri: string;
};

export type Peer = {
  url: string;
  /** Starts a provider; its path is part of its issuer. */
  play(path: string, client: PeerClient): string;
  /** The provider's internal errors. */
  complaints: string[];
  stop(): Promise<void>;
};

const SCOPES = ["openid", "email", "profile", "customer-account-api:full"];

export async function startPeer(): Promise<Peer> {
  let prefix = "";
  let provider: Provider | undefined;
  const complaints: string[] = [];
  const people = new Map<string, string>();

  const answer = async (
    request: IncomingMessage & { originalUrl?: string },
    response: ServerResponse,
  ): Promise<void> => {
    const path = request.url ?? "/";
    if (!provider || !path.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    request.originalUrl = path;
    request.url = path.slice(prefix.length);
    if (request.url === CUSTOMER_API_PATH)
      return sendJson(response, 200, { graphql_api: `${url}${prefix}${GRAPHQL_PATH}` });
    if (request.url === GRAPHQL_PATH) {
      const { AccessToken } = provider as unknown as {
        AccessToken: { find(token: string): Promise<{ accountId: string } | undefined> };
      };
      const token = await AccessToken.find(request.headers.authorization ?? "");
      return token
        ? sendJson(response, 200, { data: { customer: customerOf(token.accountId) } })
        : sendJson(response, 401, { errors: [{ message: "Unauthorized" }] });
    }
    if (!request.url.startsWith("/login/")) return provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const email = params.login_hint ?? "";
    people.set(subjectOf(email), email);
    const result =
      email === "cancel"
        ? { error: "access_denied", error_description: "The person cancelled" }
        : { login: { accountId: subjectOf(email) } };
    await provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      complaints.push(String(error));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    complaints,
    play(path, client) {
      prefix = path;
      provider = new Provider(url + path, configurationOf(client, path, people));
      for (const event of ["server_error", "authorization.error", "grant.error"])
        provider.on(event, (_ctx, error: Error & { error_description?: string }) =>
          complaints.push(`${event}: ${error.message} (${error.error_description})`),
        );
      return url + path;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The platform's Customer Account API beside the provider. */
const CUSTOMER_API_PATH = "/.well-known/customer-account-api";
const GRAPHQL_PATH = "/customer/api/2026-07/graphql";
const customerOf = (accountId: string) => ({ id: `gid://shopify/Customer/${accountId}` });

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function configurationOf(
  client: PeerClient,
  path: string,
  people: Map<string, string>,
): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    clients: [
      {
        client_id: client.id,
        redirect_uris: [client.redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        scope: SCOPES.join(" "),
        ...(client.secret
          ? { client_secret: client.secret, token_endpoint_auth_method: "client_secret_basic" }
          : { token_endpoint_auth_method: "none" }),
      },
    ],
    jwks: {
      keys: [
        { ...privateKey.export({ format: "jwk" }), kid: "peer-key", use: "sig", alg: "RS256" },
      ],
    },
    cookies: { keys: ["peer-cookie-secret-0123456789"] },
    scopes: SCOPES,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    // The general provider names the address in its user info only, as the standard says; the storefront in the token.
    conformIdTokenClaims: Boolean(client.secret),
    ttl: {
      Interaction: 60,
      Grant: 60,
      Session: 60,
      AccessToken: 60,
      IdToken: 60,
      AuthorizationCode: 60,
    },
    pkce: { required: () => !client.secret },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `${path}/login/${uid}` },
    routes: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      end_session: "/logout",
      jwks: "/.well-known/jwks.json",
    },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: people.get(sub), email_verified: true, name: "Peer Person" }),
    }),
    async loadExistingGrant(ctx: any) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
  };
}

/**
 * A person's numeric subject, like a storefront customer's: unique per address, and larger than a
 * JavaScript number holds.
 */
export function subjectOf(email: string): string {
  return `9${BigInt(`0x${Buffer.from(email.slice(0, 7)).toString("hex")}`)}`.slice(0, 20);
}
