// Fills the demo store for the pictures of the App Store listing: invented customers, their decisions,
// orders, agents, and privacy requests.
import { newClient, newTokens } from "../tests/support/agents/agent.ts";
import { eventually } from "../tests/support/service.ts";
import { serviceAt } from "./picture-scene.ts";

type StoreState = {
  customers: Record<string, { gid: string; email: string | null }>;
  catalog: { products: Record<string, { variants: { gid: string }[] }> };
};
type Place = { service: string; sandbox: string; shop: string; adminKey: string };

const PEOPLE = [
  ["Maya", "Lindqvist", ["vip", "spring-sale"], true],
  ["Tomas", "Ferreira", ["newsletter"], true],
  ["Ines", "Okafor", ["wholesale"], false],
  ["Noah", "Brandt", ["vip"], true],
  ["Leila", "Castellanos", ["newsletter", "spring-sale"], true],
  ["Jonas", "Petrov", [], false],
  ["Amara", "Duval", ["vip", "newsletter"], true],
  ["Oscar", "Halloran", ["wholesale"], true],
] as const;
const LEAVING = [
  "Petra Novak",
  "Henrik Solberg",
  "Clara Mendes",
  "Viktor Lang",
  "Sofia Almeida",
  "Rafael Stern",
];
const PASSWORD = "correct horse battery";

export async function playListing({ service: url, sandbox, shop, adminKey }: Place): Promise<void> {
  const service = serviceAt(url, adminKey);
  const { call } = service;
  const control = async (path: string, body: object) => {
    const answer = await fetch(`${sandbox}/_control/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const mailedToken = (email: string) =>
    eventually(`the mail to ${email}`, async () => {
      const inbox = await fetch(`${sandbox}/_control/state?system=email`);
      const { state } = (await inbox.json()) as {
        state: { inbox: { to: string[]; text?: string }[] };
      };
      const mails = state.inbox.filter(({ to, text }) => to.includes(email) && text);
      return mails
        .map(({ text }) => /verify-email\S*[?&]token=([^&\s]+)/.exec(text as string)?.[1])
        .find(Boolean);
    });
  await call("POST", `/admin/init-tag-system?shop=${shop}`, { body: {} });
  const addressOf = (name: string) => `${name.toLowerCase().replace(" ", ".")}@example.com`;
  const store = async () => {
    const answer = await fetch(`${sandbox}/_control/state?system=storefront`);
    const { state } = (await answer.json()) as { state: { shops: Record<string, StoreState> } };
    return state.shops[shop] as StoreState;
  };
  /** A proven account becomes a customer of the store. */
  const storeCustomer = (email: string) =>
    eventually(
      `${email} in the store`,
      async () => Object.values((await store()).customers).find((one) => one.email === email)?.gid,
    );
  // The sandbox makes its catalog when it is first read.
  await call("GET", `/commerce/products?shop=${shop}`, { key: null });
  const variant = Object.values((await store()).catalog.products)[0]?.variants[0]?.gid;
  const agents: string[] = [];
  for (const name of ["Trail Planner", "Gift Finder"])
    agents.push(
      await newClient(
        service,
        { client_name: name, redirect_uris: ["https://agent.example/callback"] },
        shop,
      ),
    );

  for (const [first, last, tags, marketing] of PEOPLE) {
    const email = addressOf(`${first} ${last}`);
    const signUp = await call("POST", `/auth/signup?shop=${shop}`, {
      key: null,
      body: {
        email,
        password: PASSWORD,
        first_name: first,
        last_name: last,
        consent_tos: true,
        consent_privacy: true,
      },
    });
    const { token: key } = signUp.json as { token?: string };
    if (!key) throw new Error(`${email} could not sign up: ${signUp.text}`);
    await call("POST", `/auth/verify-email?shop=${shop}`, {
      key,
      body: { token: await mailedToken(email), password: PASSWORD },
    });
    const gid = await storeCustomer(email);
    await control("customers/change", {
      shop,
      gid,
      patch: { first_name: first, last_name: last, tags, country: "SE" },
    });
    const decide = (body: object) => call("POST", `/auth/consent-sync?shop=${shop}`, { key, body });
    await decide({ consent_cookie: true, consent_marketing: marketing, method: "banner" });
    if (first === "Noah") await decide({ consent_marketing: false, method: "compliance-page" });
    if (first === "Amara") await decide({ consent_sale: false, method: "compliance-page" });
    await newTokens(service, agents[first.length % 2] as string, key, {}, shop);
    if (!variant) continue;
    const quantity = 1 + (last.length % 2);
    const checkout = await call("POST", `/commerce/checkout?shop=${shop}`, {
      key,
      body: { line_items: [{ variant_id: variant, quantity }] },
    });
    const paid = (checkout.json as { checkout_url?: string } | undefined)?.checkout_url;
    if (!paid) continue;
    await control("pay", { shop, url: paid });
    await control("customers/change", {
      shop,
      gid,
      patch: { number_of_orders: "1", amount_spent: `${quantity * 40}.00` },
    });
  }

  for (const name of LEAVING) {
    const [first, last] = name.split(" ");
    await control("customers", {
      shop,
      first_name: first,
      last_name: last,
      email: addressOf(name),
    });
  }
  await eventually("every delivery", async () => {
    const status = await call("GET", `/admin/events/status?shop=${shop}`);
    return !/"(pending|processing)":[1-9]/.test(status.text);
  });
}
