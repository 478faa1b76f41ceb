/**
 * Customers by update time, as the platform lists them: whole days in the filter, keyset cursors, an end
 * after 25,000.
 */
import { GraphQLError } from "graphql";
import { compareIds } from "../compare-ids.ts";
import type { Customer, ShopState } from "../state.ts";

const MAX_PAGE = 250;

export type CustomerSearch = {
  first?: number | null;
  after?: string | null;
  query?: string | null;
  sortKey?: string | null;
  reverse?: boolean | null;
};

/** `updated_at` compares whole days; the time of day in the filter is ignored. */
export function filterCustomers(shop: ShopState, query: string | null | undefined): Customer[] {
  const terms = (query ?? "")
    .split(/\sAND\s/)
    .map((term) => term.trim())
    .filter(Boolean)
    .map(parseTerm);
  const dayOf = (customer: Customer) => customer.updatedAt.slice(0, 10);
  return Object.values(shop.customers).filter((customer) =>
    terms.every(({ operator, day }) => compare(dayOf(customer), operator, day)),
  );
}

export function pageOfCustomers(shop: ShopState, search: CustomerSearch, maxObjects: number) {
  const { first, after, reverse } = search;
  if (first === undefined || first === null || first < 1 || first > MAX_PAGE)
    throw badRequest(`first must be between 1 and ${MAX_PAGE}`);
  if (search.sortKey !== "UPDATED_AT")
    throw new GraphQLError("The sandbox sorts customers by UPDATED_AT only");
  const sign = reverse ? -1 : 1;
  const sorted = filterCustomers(shop, search.query).sort((a, b) => sign * byUpdate(a, b));
  const last = after ? parseCursor(after) : null;
  // Compares with the cursor's values, not with its customer: a customer that changed since neither
  // hides nor repeats another.
  const start = last ? sorted.findIndex((customer) => sign * byUpdate(customer, last) > 0) : 0;
  if (start < 0) return { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
  if (start + first > maxObjects)
    throw badRequest(`Pagination is limited to ${maxObjects} objects.`);
  const nodes = sorted.slice(start, start + first);
  const end = nodes.at(-1);
  return {
    nodes,
    pageInfo: { hasNextPage: start + first < sorted.length, endCursor: end ? cursorOf(end) : null },
  };
}

type Position = Pick<Customer, "gid" | "updatedAt">;

function byUpdate(a: Position, b: Position): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? -1 : 1;
  return compareIds(a.gid, b.gid);
}

function cursorOf({ gid, updatedAt }: Position): string {
  return Buffer.from(JSON.stringify({ last_id: gid, last_value: updatedAt })).toString("base64");
}

function parseCursor(cursor: string): Position {
  try {
    const { last_id: gid, last_value: updatedAt } = JSON.parse(
      Buffer.from(cursor, "base64").toString(),
    ) as { last_id: string; last_value: string };
    return { gid, updatedAt };
  } catch {
    throw badRequest("Invalid cursor for current pagination sort.");
  }
}

function parseTerm(term: string): { operator: string; day: string } {
  const [, operator, day] =
    /^updated_at:(>=|<=|>|<|)'?(\d{4}-\d{2}-\d{2})(?:T[^']*)?'?$/.exec(term.trim()) ?? [];
  if (operator === undefined || day === undefined)
    throw new GraphQLError(`The sandbox does not support the search term ${term}`);
  return { operator, day };
}

function compare(day: string, operator: string, wanted: string): boolean {
  if (operator === ">=") return day >= wanted;
  if (operator === "<=") return day <= wanted;
  if (operator === ">") return day > wanted;
  return operator === "<" ? day < wanted : day === wanted;
}

function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "BAD_REQUEST" } });
}
