/**
 * An agent that buys for Ada, knowing only the store's address: discovery, registration, OAuth with
 * Ada's approval, a mandate, a checkout; then the store takes the payment and sends the order.
 */
import { createHash, randomBytes } from "node:crypto";
import { fieldsOf, textOf } from "../../exchange.ts";
import { ScenarioProblem, subjectOf } from "./act.ts";
import type { Act } from "./act.ts";
import { decide, ensureAda } from "./shopper.ts";
import type { Shopper } from "./shopper.ts";

const REDIRECT = "https://console-agent.example/callback";
const SCOPES =
  "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage commerce.mandates:create";
const MANDATE = { max_amount: "250.00", currency: "EUR", scope: "all", expires_in_hours: 1 };
/** The order's webhook is processed within moments. */
const LOOKS = 40;
const LOOK_EVERY_MS = 150;

export type Agent = { buy(act: Act): Promise<void> };

export function createAgent(shopper: Shopper): Agent {
  const clients = new Map<string, string>();
  return {
    async buy(act) {
      const shop = `shop=${encodeURIComponent(act.shop)}`;
      act.run.subject = subjectOf(ensureAda(act.sandbox, act.shop));
      const endpoints = await discover(act, shop);
      const clientId = clients.get(act.shop) ?? (await register(act, endpoints.registration));
      clients.set(act.shop, clientId);
      const browser = await shopper.headers(act);
      await decide(act, "Ada lets agents act and pay", browser, {
        consent_a2a: true,
        consent_ap2: true,
      });
      const token = await authorize(act, { ...endpoints, clientId, browser });
      await shopWith(act, shop, token);
    },
  };
}

export type Endpoints = { registration: string; authorization: string; token: string };

/** Addresses of the service's own documents; the host is the one that the sandbox knows. */
const pathOf = (act: Act, address: unknown): string => {
  const url = new URL(textOf(address), act.sandbox.appUrl());
  return url.pathname + url.search;
};

export async function discover(act: Act, shop: string): Promise<Endpoints> {
  const manifest = await act.call({
    from: "agent",
    text: "Discovers what the store offers agents",
    method: "GET",
    path: `/.well-known/ucp?${shop}`,
  });
  const { authorization_server: server } = fieldsOf(manifest.fields["endpoints"]);
  if (!server) throw new ScenarioProblem("The store does not let agents sign in.");
  const { fields } = await act.call({
    from: "agent",
    text: "Reads how it may sign in",
    method: "GET",
    path: pathOf(act, server),
  });
  return {
    registration: pathOf(act, fields["registration_endpoint"]),
    authorization: pathOf(act, fields["authorization_endpoint"]),
    token: pathOf(act, fields["token_endpoint"]),
  };
}

export async function register(act: Act, path: string, name = "Console agent"): Promise<string> {
  const { fields } = await act.call({
    from: "agent",
    text: "Registers itself",
    method: "POST",
    path,
    expected: [201],
    json: {
      client_name: name,
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
    },
  });
  return textOf(fields["client_id"]);
}

export async function authorize(
  act: Act,
  {
    authorization,
    token,
    clientId,
    browser,
  }: Endpoints & { clientId: string; browser: Record<string, string> },
): Promise<string> {
  const verifier = randomBytes(32).toString("base64url");
  const request = new URL(authorization, act.sandbox.appUrl());
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: randomBytes(8).toString("hex"),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }))
    request.searchParams.set(name, value);
  const path = request.pathname + request.search;
  const page = await act.call({
    from: "storefront",
    text: "Ada sees what the agent asks for",
    method: "GET",
    path,
    headers: browser,
  });
  const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? "";
  const allowed = await act.call({
    from: "storefront",
    text: "Ada allows it",
    method: "POST",
    path,
    expected: [302, 303],
    headers: browser,
    form: { action: "approve", csrf },
  });
  const back = new URL(allowed.headers.get("location") ?? "", REDIRECT);
  const code = back.searchParams.get("code");
  if (!code) throw new ScenarioProblem(`The agent got no code: ${back.searchParams.get("error")}`);
  const { fields } = await act.call({
    from: "agent",
    text: "Gets its token",
    method: "POST",
    path: token,
    form: {
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
    },
  });
  return textOf(fields["access_token"]);
}

async function shopWith(act: Act, shop: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const mandate = await act.call({
    from: "agent",
    text: `Gets a mandate for at most ${MANDATE.max_amount} ${MANDATE.currency}`,
    method: "POST",
    path: `/commerce/mandates?${shop}`,
    expected: [201],
    headers,
    json: MANDATE,
  });
  const found = await act.call({
    from: "agent",
    text: "Searches the store's products",
    method: "GET",
    path: `/commerce/products?${shop}&first=20`,
    headers,
  });
  const variant = chooseVariant(found.fields["products"]);
  if (!variant) throw new ScenarioProblem("The store sells nothing that the mandate covers.");
  const checkout = await act.call({
    from: "agent",
    text: `Starts a checkout: ${variant.title}`,
    method: "POST",
    path: `/commerce/checkout?${shop}`,
    expected: [201],
    headers,
    json: {
      line_items: [{ variant_id: variant.id, quantity: 1 }],
      mandate_id: mandate.fields["mandate_id"],
    },
  });
  const id = textOf(checkout.fields["id"]);
  const path = `/commerce/checkout/${encodeURIComponent(id)}`;
  await act.call({
    from: "agent",
    text: "Confirms the checkout",
    method: "POST",
    path: `${path}/complete?${shop}`,
    headers,
  });
  const order = await pay(act, textOf(checkout.fields["checkout_url"]));
  const { status, total } = await awaitCompletion(act, `${path}?${shop}`, headers);
  act.run.diff.push(
    { field: "Checkout", before: textOf(checkout.fields["status"]), after: status },
    { field: "Order", before: "", after: order },
    { field: "Paid from the mandate", before: "", after: total },
  );
  act.run.outcome = {
    tone: status === "completed" ? "good" : "waiting",
    text:
      status === "completed"
        ? `The agent bought ${variant.title} for ${total}. Order ${order}.`
        : `Order ${order} is on its way to the service.`,
  };
}

/** The store's own checkout page takes the payment, which sends the order's webhook. */
export async function pay({ sandbox, shop, send }: Act, url: string): Promise<string> {
  let name = "";
  await send(async (options) => {
    const { order, deliveries } = await sandbox.storefront.pay(shop, url, options);
    name = order.name;
    return deliveries;
  });
  return name;
}

export async function awaitCompletion(act: Act, path: string, headers: Record<string, string>) {
  for (let look = 1; ; look += 1) {
    const { fields } =
      look < LOOKS
        ? await act.peek(path, headers)
        : await act.call({
            from: "agent",
            text: "Looks at the checkout",
            method: "GET",
            path,
            headers,
          });
    const status = textOf(fields["status"]);
    const total = `${textOf(fieldsOf(fields["totals"])["total"])} ${textOf(fields["currency"])}`;
    if (status === "completed" || look === LOOKS) return { status, total };
    await new Promise((again) => setTimeout(again, LOOK_EVERY_MS));
  }
}

function chooseVariant(products: unknown): { id: string; title: string } | null {
  for (const product of (Array.isArray(products) ? products : []).map(fieldsOf)) {
    const variants = Array.isArray(product["variants"]) ? product["variants"].map(fieldsOf) : [];
    const variant = variants.find(({ available, price }) => {
      const { amount, currency } = fieldsOf(price);
      const isCovered =
        currency === MANDATE.currency && Number(amount) <= Number(MANDATE.max_amount);
      return available !== false && isCovered;
    });
    if (variant) return { id: textOf(variant["id"]), title: textOf(product["title"]) };
  }
  return null;
}
