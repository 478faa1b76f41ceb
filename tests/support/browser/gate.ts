// The screens behind their gate, with their own edge proxy, and a visitor whose credentials the
// test chooses.
import { ADMIN_KEY, startTestApp, type TestApp } from "./screens-server.ts";
import { startEdge, type Edge } from "./edge.ts";

export const PAGES = ["/setup", "/settings", "/onboarding"];
export const GATED_SHOP = "gated-store.myshopify.com";
export const LISTED = "ops@example.com";
export const AUDIENCE = "edge-audience";
export const AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";

type Options = {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  /** Null: not sent. */
  origin?: string | null;
  cookie?: string;
};

export type Gate = {
  app: TestApp;
  edge: Edge;
  /** A fixed clock that tests move. */
  clock: { now: number };
  /** The visitor's address: a new one for each test, so that no rate limit is shared. */
  moveTo(address?: string): void;
  send(path: string, options?: Options): Promise<Response>;
  /** The cookie issued for the admin key. */
  enter(): Promise<string>;
  stop(): Promise<void>;
};

export const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0])
    .join("; ");

export async function startGate(): Promise<Gate> {
  const edge = await startEdge();
  const clock = { now: Date.now() };
  const app = await startTestApp({
    withScreens: true,
    clock: { now: () => new Date(clock.now) },
    envFrom: (sandbox) => ({
      ADMIN_EMAILS: `${LISTED}, second@example.com`,
      EDGE_GATE_JWKS_URL: edge.jwksUrl,
      EDGE_GATE_AUDIENCE: AUDIENCE,
      EDGE_GATE_ISSUER: edge.issuer,
      EMAIL_API_URL: sandbox.addresses.emailApiUrl,
      EMAIL_API_KEY: "test-email-key",
      EMAIL_FROM: "Ops <ops@test-store.example>",
      TRUST_PROXY_HOPS: "1",
    }),
  });
  let address = "";
  let addresses = 0;
  const send: Gate["send"] = (
    path,
    { method, headers = {}, form, origin = app.url, cookie } = {},
  ) =>
    fetch(app.url + path, {
      method: method ?? (form ? "POST" : "GET"),
      redirect: "manual",
      headers: {
        "User-Agent": AGENT,
        "X-Forwarded-For": address,
        ...(form && origin && { Origin: origin }),
        ...(cookie && { Cookie: cookie }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
  return {
    app,
    edge,
    clock,
    send,
    moveTo: (to = `203.0.113.${(addresses += 1)}`) => void (address = to),
    enter: async () => cookieOf(await send(`/setup?key=${ADMIN_KEY}`)),
    async stop() {
      await app.stop();
      await edge.stop();
    },
  };
}
