/** A sandbox and a stand-in app that records the webhooks it receives. */
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import "@shopify/shopify-api/adapters/web-api";
import { ApiVersion, LogSeverity, shopifyApi } from "@shopify/shopify-api";
import { startSandbox } from "../../app/sandbox/server.ts";
import type { Sandbox, SandboxOptions } from "../../app/sandbox/server.ts";

export const SHOP = "test-store.myshopify.com";
export const CLIENT_ID = "sandbox-client";
export const CLIENT_SECRET = "sandbox-client-secret";

type ReceivedWebhook = { path: string; headers: IncomingHttpHeaders; text: string };
export type TestApp = {
  sandbox: Sandbox;
  appUrl: string;
  received: ReceivedWebhook[];
  storefront: string;
  stop(): Promise<void>;
};

export async function startTestApp({
  webhookSecret,
  ...options
}: Partial<SandboxOptions> & { webhookSecret?: string } = {}): Promise<TestApp> {
  const received: ReceivedWebhook[] = [];
  const app = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({
        path: request.url ?? "",
        headers: request.headers,
        text: Buffer.concat(chunks).toString("utf8"),
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const sandbox = await startSandbox({
    app: {
      url: appUrl,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      ...(webhookSecret !== undefined && { webhookSecret }),
    },
    ...options,
    // The tests of the sandbox count its webhooks one by one.
    storefront: { lateRepeats: false, ...options.storefront },
  });
  return {
    sandbox,
    appUrl,
    received,
    storefront: sandbox.addresses.storefrontUrlTemplate.replace("{shop}", SHOP),
    async stop() {
      await sandbox.stop();
      app.closeAllConnections();
      await new Promise((resolve) => app.close(resolve));
    },
  };
}

/** The vendor's client library as an independent check of the sandbox's signatures. */
export function vendorLibrary() {
  const logger = { level: LogSeverity.Error };
  return shopifyApi({
    apiKey: CLIENT_ID,
    apiSecretKey: CLIENT_SECRET,
    hostName: "app.example",
    apiVersion: ApiVersion.July26,
    isEmbeddedApp: true,
    logger,
  });
}

export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  return send("POST", url, body, headers);
}

export async function send(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text), headers: response.headers };
  } catch {
    return { status: response.status, body: text, headers: response.headers };
  }
}

export function refreshToken(
  app: TestApp,
  token: string | undefined,
): Promise<{ status: number; body: any }> {
  return post(`${app.storefront}/admin/oauth/access_token`, {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    grant_type: "refresh_token",
    refresh_token: token,
  });
}

export function graphql(
  app: TestApp,
  token: string | undefined,
  query: string,
  variables: unknown = {},
  version = "2026-04",
): Promise<{ status: number; body: any; headers: Headers }> {
  return post(
    `${app.storefront}/admin/api/${version}/graphql.json`,
    { query, variables },
    { "X-Shopify-Access-Token": token ?? "" },
  );
}
