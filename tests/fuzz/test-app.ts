// The target of the fuzzer: a whole service process with two stores, and six kinds of callers.
import { createHmac } from "node:crypto";
import type { Sandbox } from "../../app/sandbox/server.ts";
import { startSide, stopSide, type Side } from "../bench/side.ts";
import { newClient, newTokens } from "../support/agents/agent.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  createCall,
  eventually,
  SHOP,
  type Service,
} from "../support/service.ts";

export const CREDENTIALS = [
  "nobody",
  "made_up",
  "admin",
  "other_stores_admin",
  "shopper",
  "agent",
] as const;
export type Credential = (typeof CREDENTIALS)[number];

export const OTHER_SHOP = "neighbour-store.myshopify.com";
const OTHER_ADMIN_KEY = "neighbour-admin-key-7f3a9c55";
/**
 * Part of the names and addresses of another store's shoppers: no response to this store's callers may
 * contain it.
 */
const NEIGHBOUR = "zq7neighbourzq7";
const PASSWORD = "correct horse battery";
/** The origin that startSide configures. */
const ORIGIN = "https://service.example";

/** Secrets of the process and of the stores: no response may contain one. */
export const SECRETS: Record<string, string> = {
  "the admin key": ADMIN_KEY,
  "the app secret": APP_SECRET,
  "the token secret": "test-jwt-secret-0123456789",
  "the sealing key": Buffer.alloc(32, 7).toString("base64"),
  "a store's CMS token": "cms-token-0123456789",
  "a store's analytics secret": "analytics-secret-012345",
  "the neighbour's admin key": OTHER_ADMIN_KEY,
  "the neighbour's data": NEIGHBOUR,
};

export type TestApp = {
  url: string;
  sandbox: Sandbox;
  side: Side;
  /** The headers of a caller. */
  headersOf(credential: Credential): Record<string, string>;
  /** Base64 HMAC-SHA256 of a webhook's body. */
  sign(body: Buffer): string;
  /** Repairs the stores and signs everyone in again: requests may have ended them. */
  renew(): Promise<void>;
  stop(): Promise<void>;
};

export async function startTestApp(serverUrl: string): Promise<TestApp> {
  const side = await startSide(serverUrl, "fuzz", "web,worker");
  const { url } = side.server;
  const tokens: Partial<Record<Credential, string>> = {
    made_up: "agt_bWFkZS11cA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    admin: ADMIN_KEY,
    other_stores_admin: OTHER_ADMIN_KEY,
  };
  let renewals = 0;

  const call = createCall(url);
  const service = { url: ORIGIN, call } as unknown as Service;

  async function configure(shop: string, fields: object): Promise<void> {
    const answer = await call("POST", `/config?shop=${shop}`, { body: fields });
    if (answer.status !== 200) throw new Error(`${shop} was not configured: ${answer.text}`);
  }

  /** A signed request may have asked for the store's deletion, which must not run in between. */
  async function privacyRequestsAreWorked(): Promise<void> {
    await eventually(
      "the privacy requests worked",
      async () =>
        (
          await side.db.query(
            "SELECT 1 FROM privacy_requests WHERE state IN ('received', 'running')",
          )
        ).rows.length === 0,
      60_000,
    );
  }

  async function signUp(shop: string, email: string): Promise<string> {
    const answer = await call("POST", `/auth/signup?shop=${shop}`, {
      key: null,
      body: {
        email,
        password: PASSWORD,
        full_name: shop === OTHER_SHOP ? `${NEIGHBOUR} person` : "Ada Byron",
        consent_tos: true,
        consent_privacy: true,
      },
    });
    if (answer.status !== 201) throw new Error(`nobody was signed up: ${answer.text}`);
    return answer.json.token;
  }

  const app: TestApp = {
    url,
    sandbox: side.sandbox,
    side,
    headersOf: (credential) => {
      const token = tokens[credential];
      const headers: Record<string, string> = {};
      if (token) headers.Authorization = `Bearer ${token}`;
      return headers;
    },
    sign: (body) => createHmac("sha256", APP_SECRET).update(body).digest("base64"),
    async renew() {
      renewals += 1;
      await privacyRequestsAreWorked();
      await configure(SHOP, { agent_access_enabled: true, require_email_verification: false });
      await configure(OTHER_SHOP, {
        admin_key: OTHER_ADMIN_KEY,
        require_email_verification: false,
      });
      const session = await signUp(SHOP, `ada-${renewals}@example.com`);
      await call("POST", `/auth/consent-sync?shop=${SHOP}`, {
        key: session,
        body: { consent_a2a: true, consent_ap2: true, method: "dashboard" },
      });
      tokens.shopper = session;
      tokens.agent = (await newTokens(service, await newClient(service), session)).access_token;
      await signUp(OTHER_SHOP, `${NEIGHBOUR}-${renewals}@example.com`);
    },
    stop: () => stopSide(side),
  };
  await app.renew();
  return app;
}
