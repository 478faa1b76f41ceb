/**
 * The customer segments of a store: those that the platform makes for every store, and the merchant's own,
 * each with a query (shopify.dev "Segment query language reference"), of which a part is understood here.
 */
import { compareIds } from "../compare-ids.ts";
import type { Customer, ShopState } from "../state.ts";

export type Segment = { gid: string; name: string; query: string };

const FIRST_ID = 3_100_001;
const gidOf = (place: number) => `gid://shopify/Segment/${FIRST_ID + place}`;

const PREPARED: readonly Segment[] = [
  ["Email subscribers", "email_subscription_status = 'SUBSCRIBED'"],
  ["Customers who have purchased at least once", "number_of_orders > 0"],
  ["Customers who have purchased more than once", "number_of_orders > 1"],
  ["Customers who haven't purchased", "number_of_orders = 0"],
].map(([name = "", query = ""], place) => ({ gid: gidOf(place), name, query }));

export const segmentsOf = (shop: ShopState): Segment[] => [...PREPARED, ...(shop.segments ?? [])];

export const findSegment = (shop: ShopState, gid: string): Segment | undefined =>
  segmentsOf(shop).find((segment) => segment.gid === gid);

export function putSegment(shop: ShopState, segment: Omit<Segment, "gid">): Segment {
  membersOf(shop, segment.query);
  const made = { gid: gidOf(segmentsOf(shop).length), ...segment };
  shop.segments = [...(shop.segments ?? []), made];
  return made;
}

/** In the order of their ids. Throws for a query that is not understood here. */
export function membersOf(shop: ShopState, query: string): Customer[] {
  const conditions = query.split(/\sAND\s/).map((condition) => toTest(condition.trim()));
  return Object.values(shop.customers)
    .filter((customer) => conditions.every((isMet) => isMet(customer)))
    .sort((a, b) => compareIds(a.gid, b.gid));
}

type Test = (customer: Customer) => boolean;

const NUMBERS: Record<string, (customer: Customer) => number> = {
  number_of_orders: ({ numberOfOrders }) => Number(numberOfOrders),
  amount_spent: ({ amountSpent }) => Number(amountSpent),
};
const TEXTS: Record<string, (customer: Customer) => string | null> = {
  email_subscription_status: ({ emailMarketingState }) => emailMarketingState,
  customer_language: ({ locale }) => locale,
};
const LISTS: Record<string, (customer: Customer) => string[]> = {
  customer_tags: ({ tags }) => tags,
  customer_countries: ({ countryCode }) => (countryCode === null ? [] : [countryCode]),
};
const OPERATORS: Record<string, (a: number, b: number) => boolean> = {
  "=": (a, b) => a === b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
};

function toTest(condition: string): Test {
  const [, field = "", operator = "", quoted, digits] =
    /^(\w+) (=|>=|<=|>|<|CONTAINS|NOT CONTAINS) (?:'([^']*)'|(\d+))$/.exec(condition) ?? [];
  const value = quoted ?? digits ?? "";
  const [number, text, list] = [NUMBERS[field], TEXTS[field], LISTS[field]];
  const compare = OPERATORS[operator];
  if (number && compare && digits) return (customer) => compare(number(customer), Number(value));
  if (text && operator === "=") return (customer) => text(customer) === value;
  if (list && operator.endsWith("CONTAINS"))
    return (customer) => list(customer).includes(value) !== operator.startsWith("NOT");
  throw new Error(`The sandbox does not understand the segment's condition ${condition}`);
}
