/**
 * The script of the playground's agent: it finds the store, is let in by Ada, buys within a mandate, and
 * is refused where it must be. Every step is real HTTP; what a step needs is what earlier ones got.
 */
import { fieldsOf, textOf } from "../../exchange.ts";
import { ScenarioProblem } from "../live/act.ts";
import type { Act } from "../live/act.ts";
import { authorize, awaitCompletion, discover, pay, register } from "../live/agent.ts";
import type { Endpoints } from "../live/agent.ts";
import type { ServiceAnswer } from "../live/service-client.ts";
import { decide, readConsents } from "../live/shopper.ts";
import type { Shopper } from "../live/shopper.ts";

const AGENT_NAME = "Playground agent";

/** What the agent and Ada's browser have got until now. */
export type Memory = {
  endpoints?: Endpoints;
  clientId?: string;
  /** The headers of Ada's browser, in which she is signed in. */
  browser?: Record<string, string>;
  token?: string;
  variant?: { id: string; title: string };
  cartId?: string;
  mandateId?: string;
  checkout?: { id: string; url: string };
  option?: { id: string; title: string };
};

type Scene = { act: Act; shopper: Shopper; memory: Memory };

export type PlaygroundStep = {
  name: string;
  title: string;
  about: string;
  /** Returns the result in one sentence. */
  run(scene: Scene): Promise<string>;
};

const MANDATE = { max_amount: "100.00", currency: "EUR", scope: "all" };

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new ScenarioProblem(`The agent has no ${what}. Start again.`);
  return value;
}

const shopOf = ({ shop }: Act): string => `shop=${encodeURIComponent(shop)}`;

type ToolCall = { text: string; name: string; args: object; expected?: number[] };

/** A tool over MCP; the fields of its structured result. */
async function callTool(
  { act, memory }: Scene,
  { text, name, args, expected = [200] }: ToolCall,
): Promise<{ answer: ServiceAnswer; result: Record<string, unknown> }> {
  const answer = await act.call({
    from: "agent",
    text,
    method: "POST",
    path: `/mcp?${shopOf(act)}`,
    expected,
    headers: {
      authorization: `Bearer ${need(memory.token, "token")}`,
      accept: "application/json, text/event-stream",
    },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  });
  const { structuredContent } = fieldsOf(answer.fields["result"]);
  return { answer, result: fieldsOf(structuredContent) };
}

/** UCP answers 200 with its own status, and says why in its first message. */
function refusalOf(result: Record<string, unknown>): string | null {
  if (fieldsOf(result["ucp"])["status"] !== "error") return null;
  const [first] = Array.isArray(result["messages"]) ? result["messages"].map(fieldsOf) : [];
  return textOf(first?.["code"]) || "error";
}

async function useTool(scene: Scene, call: ToolCall): Promise<Record<string, unknown>> {
  const { result } = await callTool(scene, call);
  const refused = refusalOf(result);
  if (refused) throw new ScenarioProblem(`${call.text}: ${refused}`);
  return result;
}

export const PLAYGROUND_STEPS: readonly PlaygroundStep[] = [
  {
    name: "discover",
    title: "Discover the store",
    about: "It knows the store's address only, and reads what the store offers to agents.",
    async run({ act, memory }) {
      await act.call({
        from: "agent",
        text: "Reads the agent card",
        method: "GET",
        path: `/.well-known/agent-card.json?${shopOf(act)}`,
      });
      memory.endpoints = await discover(act, shopOf(act));
      return "It knows the tools, and where to sign in.";
    },
  },
  {
    name: "register",
    title: "Register as a client",
    about: "A public OAuth client: it gets an id and no secret.",
    async run({ act, memory }) {
      if (memory.clientId) return "It is registered from an earlier run, and keeps its id.";
      const { registration } = need(memory.endpoints, "addresses");
      memory.clientId = await register(act, registration, AGENT_NAME);
      return "It has a client id. It may do nothing yet.";
    },
  },
  {
    name: "consent",
    title: "Ask Ada for consent",
    about:
      "Ada signs in, reads what the agent wants, and allows it. Her consent is written to the log.",
    async run({ act, shopper, memory }) {
      const browser = await shopper.headers(act);
      memory.browser = browser;
      // Withdrawn, so that a later step is refused.
      if ((await readConsents(act, browser))["ap2"] === true)
        await decide(act, "Ada does not let agents pay", browser, { consent_ap2: false });
      memory.token = await authorize(act, {
        ...need(memory.endpoints, "addresses"),
        clientId: need(memory.clientId, "client id"),
        browser,
      });
      return "It has an access token for Ada, with the scopes that she saw.";
    },
  },
  {
    name: "search",
    title: "Search products",
    about: "Over MCP. The words of the search are stored nowhere.",
    async run(scene) {
      const { products } = await useTool(scene, {
        text: "Searches the catalog",
        name: "search_catalog",
        args: { catalog: { query: "camera" } },
      });
      const [product] = Array.isArray(products) ? products.map(fieldsOf) : [];
      const [variant] = Array.isArray(product?.["variants"])
        ? product["variants"].map(fieldsOf)
        : [];
      if (!product || !variant) throw new ScenarioProblem("The store sells no camera.");
      const title = textOf(product["title"]);
      scene.memory.variant = { id: textOf(variant["id"]), title };
      return `It found ${title}.`;
    },
  },
  {
    name: "cart",
    title: "Fill a cart",
    about: "Priced by the store as it is now; nobody is bound yet.",
    async run(scene) {
      const { id, title } = need(scene.memory.variant, "product");
      const cart = await useTool(scene, {
        text: "Creates a cart",
        name: "create_cart",
        args: { cart: { line_items: [{ item: { id }, quantity: 1 }] } },
      });
      scene.memory.cartId = textOf(cart["id"]);
      return `${title} is in the cart.`;
    },
  },
  {
    name: "early_mandate",
    title: "Ask for a mandate too early",
    about: "Ada has let it act, not pay: the service refuses.",
    async run(scene) {
      const text = "Asks for a mandate";
      const { answer } = await callTool(scene, {
        text,
        name: "create_mandate",
        args: MANDATE,
        expected: [403],
      });
      const code = textOf(fieldsOf(fieldsOf(answer.fields["error"])["data"])["code"]);
      return `Refused: ${code}.`;
    },
  },
  {
    name: "mandate",
    title: "Get a mandate",
    about:
      "Ada lets agents pay; the mandate is signed, for this agent alone, for one purchase up to 100 EUR.",
    async run(scene) {
      const { act, memory } = scene;
      const browser = need(memory.browser, "consent");
      await decide(act, "Ada lets agents pay", browser, { consent_ap2: true });
      const { result } = await callTool(scene, {
        text: `Gets a mandate for at most ${MANDATE.max_amount} ${MANDATE.currency}`,
        name: "create_mandate",
        args: MANDATE,
      });
      memory.mandateId = textOf(result["mandate_id"]);
      return `It may spend ${MANDATE.max_amount} ${MANDATE.currency}, once.`;
    },
  },
  {
    name: "checkout",
    title: "Check out",
    about:
      "The checkout reserves its total of the mandate; for Ada's address the store offers ways to send it.",
    async run(scene) {
      const checkout = await useTool(scene, {
        text: "Starts a checkout of the cart",
        name: "create_checkout",
        args: checkoutOf(scene, { fulfillment: { methods: [shippingTo()] } }),
      });
      const [option] = optionsIn(checkout);
      if (!option) throw new ScenarioProblem("The store does not ship to Ada.");
      scene.memory.checkout = { id: textOf(checkout["id"]), url: textOf(checkout["continue_url"]) };
      scene.memory.option = { id: textOf(option["id"]), title: textOf(option["title"]) };
      return `The first way to send it is ${scene.memory.option.title}.`;
    },
  },
  {
    name: "delivery",
    title: "Choose the delivery",
    about: "Its price is in the total that the mandate holds. Then the checkout is confirmed.",
    async run(scene) {
      const { id } = need(scene.memory.checkout, "checkout");
      const { id: variant } = need(scene.memory.variant, "product");
      const { id: option, title } = need(scene.memory.option, "delivery option");
      const updated = await useTool(scene, {
        text: `Chooses ${title}`,
        name: "update_checkout",
        args: {
          id,
          checkout: {
            line_items: [{ item: { id: variant }, quantity: 1 }],
            fulfillment: { methods: [shippingTo(option)] },
          },
        },
      });
      scene.memory.checkout = { id, url: textOf(updated["continue_url"]) };
      const confirmed = await useTool(scene, {
        text: "Confirms the checkout",
        name: "complete_checkout",
        args: { id },
      });
      return `The checkout is ${textOf(confirmed["status"])}: it waits for the store's order.`;
    },
  },
  {
    name: "pay",
    title: "The store takes the payment",
    about: "The order's webhook completes the checkout, and the mandate is spent.",
    async run({ act, memory }) {
      const { id, url } = need(memory.checkout, "checkout");
      const order = await pay(act, url);
      const path = `/commerce/checkout/${encodeURIComponent(id)}?${shopOf(act)}`;
      const headers = { authorization: `Bearer ${need(memory.token, "token")}` };
      const { status, total } = await awaitCompletion(act, path, headers);
      return status === "completed"
        ? `Order ${order}: ${total} of the mandate are spent.`
        : `Order ${order} is on its way to the service.`;
    },
  },
  {
    name: "again",
    title: "Try to buy once more",
    about: "The mandate was for one purchase: the service refuses.",
    async run(scene) {
      const { result } = await callTool(scene, {
        text: "Starts a second checkout under the same mandate",
        name: "create_checkout",
        args: checkoutOf(scene),
      });
      const refused = refusalOf(result);
      if (!refused) throw new ScenarioProblem("The second checkout was not refused.");
      return `Refused: ${refused}.`;
    },
  },
  {
    name: "revoke",
    title: "Ada ends its access",
    about: "One click on her dashboard; every token of the agent is dead at once.",
    async run({ act, memory }) {
      const headers = need(memory.browser, "consent");
      const { fields } = await act.peek(`/oauth/grants?${shopOf(act)}`, headers);
      const grants = Array.isArray(fields["grants"]) ? fields["grants"].map(fieldsOf) : [];
      const grant = grants.find((one) => one["client_id"] === memory.clientId);
      if (!grant) throw new ScenarioProblem("Ada has not linked the agent.");
      const path = `/oauth/grants/${encodeURIComponent(textOf(grant["id"]))}?${shopOf(act)}`;
      await act.call({
        from: "storefront",
        text: "Ada ends the agent's access",
        method: "DELETE",
        path,
        headers,
        json: {},
      });
      return "The agent is no longer linked.";
    },
  },
  {
    name: "refused",
    title: "Call after the end",
    about: "The token looks as before; the service refuses it.",
    async run(scene) {
      await callTool(scene, {
        text: "Asks who it acts for",
        name: "get_identity",
        args: {},
        expected: [401],
      });
      return "Refused with 401. The merchant sees who tried.";
    },
  },
];

const ADDRESS = {
  street_address: "Hafenstraße 12",
  address_locality: "Hamburg",
  postal_code: "20359",
  address_country: "DE",
};

const shippingTo = (option?: string): object => ({
  type: "shipping",
  destinations: [ADDRESS],
  ...(option !== undefined && { groups: [{ id: "group_1", selected_option_id: option }] }),
});

/** The delivery options of a checkout. */
function optionsIn(checkout: Record<string, unknown>): Record<string, unknown>[] {
  const first = (value: unknown) => fieldsOf(Array.isArray(value) ? value[0] : undefined);
  const method = first(fieldsOf(checkout["fulfillment"])["methods"]);
  const { options } = first(method["groups"]);
  return Array.isArray(options) ? options.map(fieldsOf) : [];
}

function checkoutOf({ memory }: Scene, more: object = {}): object {
  return {
    checkout: {
      ...more,
      line_items: [],
      cart_id: need(memory.cartId, "cart"),
      mandate_id: need(memory.mandateId, "mandate"),
    },
  };
}
