// Shoppers of the demo store, while it runs: every 20 seconds one of them does something, through the
// sandbox storefront's own controls, so that real webhooks travel. Chance decides what, not the seed.
import { setTimeout } from "node:timers/promises";
import { request } from "undici";
import type { Ctx } from "../context.server.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { BROWSERS, COUNTRIES } from "./countries.ts";
import { VARIANTS } from "./people.ts";
import { createDice, type Dice } from "./random.ts";

const EVERY_MS = 20_000;
/** Bounds the number of customers in a demo that runs for weeks. */
const MAX_CUSTOMERS = 1_200;

type Visit = { ctx: Ctx; sandbox: Sandbox; shop: string; dice: Dice };

/** Resolves when the signal stops it. A failed visit is logged and does not end it. */
export async function startTraffic(
  ctx: Ctx,
  sandbox: Sandbox,
  shop: string,
  signal: AbortSignal,
): Promise<void> {
  const dice = createDice(ctx.random.bytes(4).readUInt32LE());
  while (!signal.aborted) {
    await setTimeout(EVERY_MS, undefined, { signal }).catch(() => {});
    // A failure that somebody planned is for the change that they make next.
    if (signal.aborted || sandbox.hasWaitingFault()) continue;
    try {
      await visit({ ctx, sandbox, shop, dice });
    } catch (error) {
      ctx.log.warn("demo_traffic.failed", { shop, reason: (error as Error).message });
    }
  }
}

/** One shopper does one thing. */
export async function visit(one: Visit): Promise<void> {
  const { sandbox, shop, dice } = one;
  const customers = sandbox.storefront.customers(shop);
  const act = dice.weighted([
    [decideAtBanner, 4],
    [placeOrder, 3],
    [changeSubscription, 2],
    [customers.length < MAX_CUSTOMERS ? joinStore : placeOrder, 2],
  ]);
  await act(one);
}

/** As the store's page does for a new visitor. */
async function decideAtBanner({ ctx, shop, dice }: Visit): Promise<void> {
  const isAccepted = dice.chance(0.65);
  const answer = await request(`${ctx.baseUrl}/auth/consent-sync?shop=${shop}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: `https://${shop}`,
      "user-agent": dice.weighted(BROWSERS),
    },
    body: JSON.stringify({
      method: "banner",
      visitor_id: `v-${dice.hex(20)}`,
      consent_cookie: isAccepted,
      consent_marketing: isAccepted && dice.chance(0.8),
      timestamp: ctx.clock.now().toISOString(),
    }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 200)
    throw new Error(`the decision of a visitor was answered ${answer.statusCode}`);
}

async function joinStore({ sandbox, shop, dice }: Visit): Promise<void> {
  const country = dice.weighted(COUNTRIES.map((one) => [one, one.weight] as const));
  await sandbox.storefront.createCustomer(shop, {
    firstName: dice.pick(country.firstNames),
    lastName: dice.pick(country.lastNames),
    email: `shopper-${dice.hex(8)}@example.com`,
    countryCode: country.code,
    locale: country.language,
    emailMarketingState: dice.chance(0.5) ? "SUBSCRIBED" : "NOT_SUBSCRIBED",
  });
}

async function placeOrder({ sandbox, shop, dice }: Visit): Promise<void> {
  const customer = pickCustomer({ sandbox, shop, dice });
  if (!customer) return;
  const variant = dice.pick(VARIANTS);
  const order = sandbox.storefront.putOrder(shop, {
    customerGid: customer.gid,
    lines: [{ variantGid: variant.gid, quantity: dice.int(1, 2) }],
  });
  await sandbox.storefront.changeCustomer(shop, customer.gid, {
    numberOfOrders: String(Number(customer.numberOfOrders) + 1),
    amountSpent: (Number(customer.amountSpent) + Number(order.total)).toFixed(2),
  });
}

async function changeSubscription({ sandbox, shop, dice }: Visit): Promise<void> {
  const customer = pickCustomer({ sandbox, shop, dice });
  if (!customer) return;
  await sandbox.storefront.changeCustomer(shop, customer.gid, {
    emailMarketingState:
      customer.emailMarketingState === "SUBSCRIBED" ? "UNSUBSCRIBED" : "SUBSCRIBED",
  });
}

function pickCustomer({ sandbox, shop, dice }: Pick<Visit, "sandbox" | "shop" | "dice">) {
  const customers = sandbox.storefront.customers(shop);
  return customers.length > 0 ? dice.pick(customers) : null;
}
