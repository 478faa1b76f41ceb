// The 400 customers of the demo store, with their orders.
import type { Calendar } from "./calendar.ts";
import { BROWSERS, COUNTRIES, type DemoCountry } from "./countries.ts";
import { createDice, type Dice } from "./random.ts";

const CUSTOMERS = 400;
const SEED = 20_260_717;
/** Far from the ids that the sandbox gives away itself, and like them above 2^53. */
const FIRST_CUSTOMER = 9_007_199_255_741_001n;
const FIRST_ORDER = 9_007_199_256_741_001n;

/** Thresholds that fit 90 days of history and small orders, so that each rule holds for some customers. */
export const DEMO_TAG_RULES = {
  inactive_after_days: 45,
  vip_amount: 300,
  high_value_amount: 160,
  new_days: 14,
  at_risk_days: 60,
};

/** What the store sells: the products that every shop of the sandbox begins with. */
export const VARIANTS = [
  { gid: "gid://shopify/ProductVariant/8100000000002", sku: "CAM-9", price: 40, weight: 4 },
  { gid: "gid://shopify/ProductVariant/8100000000005", sku: "LAN-G", price: 25, weight: 5 },
  { gid: "gid://shopify/ProductVariant/8100000000008", sku: "LMP-1", price: 60, weight: 3 },
] as const;

export type DemoOrder = {
  gid: string;
  /** `#1001` is the oldest. */
  name: string;
  at: Date;
  lines: { variantGid: string; sku: string; price: number; quantity: number }[];
  total: number;
  isRefunded: boolean;
};

/** How somebody became a customer: each leaves another consent, a guest's order none. */
type DemoOrigin = "signup" | "storefront" | "newsletter" | "guest";

export type DemoCustomer = {
  gid: string;
  firstName: string;
  lastName: string;
  email: string;
  country: string;
  language: string;
  userAgent: string;
  origin: DemoOrigin;
  joinedAt: Date;
  /** The newest of all that happened to the customer. */
  changedAt: Date;
  lastSignInAt: Date | null;
  isSubscribed: boolean;
  /** When the subscription was ended again. */
  unsubscribedAt: Date | null;
  orders: DemoOrder[];
  spent: number;
};

/** Oldest first. */
export function planCustomers(calendar: Calendar): DemoCustomer[] {
  const dice = createDice(SEED);
  const joined = Array.from({ length: CUSTOMERS }, () => calendar.anyTime(dice)).sort(
    (a, b) => a.getTime() - b.getTime(),
  );
  const taken = new Set<string>();
  const customers = joined.map((joinedAt, index) => {
    const gid = `gid://shopify/Customer/${FIRST_CUSTOMER + 2n * BigInt(index)}`;
    return planCustomer(dice, calendar, { gid, joinedAt, taken });
  });
  numberOrders(customers.flatMap(({ orders }) => orders));
  return customers;
}

function numberOrders(orders: DemoOrder[]): void {
  orders.sort((a, b) => a.at.getTime() - b.at.getTime());
  for (const [index, order] of orders.entries()) {
    order.gid = `gid://shopify/Order/${FIRST_ORDER + 2n * BigInt(index)}`;
    order.name = `#${1001 + index}`;
  }
}

function planCustomer(
  dice: Dice,
  calendar: Calendar,
  { gid, joinedAt, taken }: { gid: string; joinedAt: Date; taken: Set<string> },
): DemoCustomer {
  const country = dice.weighted(COUNTRIES.map((one) => [one, one.weight] as const));
  const [firstName, lastName] = [dice.pick(country.firstNames), dice.pick(country.lastNames)];
  const origin = dice.weighted<DemoOrigin>([
    ["storefront", 44],
    ["signup", 12],
    ["newsletter", 20],
    ["guest", 24],
  ]);
  const orders = planOrders(dice, calendar, joinedAt, origin);
  const spent = orders.reduce((sum, { total, isRefunded }) => sum + (isRefunded ? 0 : total), 0);
  const wasSubscribed = origin === "newsletter" || (origin !== "guest" && dice.chance(0.55));
  const unsubscribedAt =
    wasSubscribed && dice.chance(0.12) ? calendar.between(dice, joinedAt, calendar.end) : null;
  const signsIn = origin === "storefront" || origin === "signup";
  const lastSignInAt = signsIn ? planLastSignIn(dice, calendar, joinedAt) : null;
  const moments = [joinedAt, ...orders.map(({ at }) => at), unsubscribedAt ?? joinedAt];
  return {
    gid,
    firstName,
    lastName,
    email: addressOf(firstName, lastName, country, taken),
    country: country.code,
    language: country.language,
    userAgent: dice.weighted(BROWSERS),
    origin,
    joinedAt,
    changedAt: new Date(Math.max(...moments.map((at) => at.getTime()))),
    lastSignInAt,
    isSubscribed: wasSubscribed && unsubscribedAt === null,
    unsubscribedAt,
    orders,
    spent,
  };
}

/** Half of the customers signed in once, when they joined. */
const planLastSignIn = (dice: Dice, calendar: Calendar, joinedAt: Date): Date =>
  dice.chance(0.5) ? joinedAt : calendar.between(dice, joinedAt, calendar.end);

/** No person has an address at example.com (RFC 2606). */
function addressOf(
  firstName: string,
  lastName: string,
  { code }: DemoCountry,
  taken: Set<string>,
): string {
  const plain = (text: string) =>
    text
      .normalize("NFD")
      .replace(/[^a-z]/gi, "")
      .toLowerCase();
  for (let number = 1; ; number += 1) {
    const name = `${plain(firstName)}.${plain(lastName)}${number === 1 ? "" : number}`;
    const address = `${name}@${code.toLowerCase()}.example.com`;
    if (taken.has(address)) continue;
    taken.add(address);
    return address;
  }
}

function planOrders(
  dice: Dice,
  calendar: Calendar,
  joinedAt: Date,
  origin: DemoOrigin,
): DemoOrder[] {
  // A guest became known by an order.
  let count = origin === "guest" || dice.chance(0.65) ? 1 : 0;
  while (count > 0 && count < 9 && dice.chance(0.42)) count += 1;
  const times = Array.from({ length: count }, (_, index) =>
    index === 0 && origin === "guest" ? joinedAt : calendar.between(dice, joinedAt, calendar.end),
  ).sort((a, b) => a.getTime() - b.getTime());
  return times.map((at) => {
    const lines = [planLine(dice), ...(dice.chance(0.3) ? [planLine(dice)] : [])];
    return {
      gid: "",
      name: "",
      at,
      lines,
      total: lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
      isRefunded: dice.chance(0.04),
    };
  });
}

function planLine(dice: Dice) {
  const { gid, sku, price } = dice.weighted(VARIANTS.map((one) => [one, one.weight] as const));
  const quantity = dice.weighted([
    [1, 8],
    [2, 3],
    [3, 1],
  ]);
  return { variantGid: gid, sku, price, quantity };
}
