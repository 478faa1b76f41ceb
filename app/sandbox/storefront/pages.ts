/** Keyset paging: the cursor names the last object shown. */
import { GraphQLError } from "graphql";

export type PageArguments = { first?: number | null; after?: string | null };

const MAX_PAGE = 250;
const badRequest = (message: string) =>
  new GraphQLError(message, { extensions: { code: "BAD_REQUEST" } });

export function pageOf<T>(
  all: readonly T[],
  { first, after }: PageArguments,
  idOf: (one: T) => string,
) {
  if (first === undefined || first === null || first < 1 || first > MAX_PAGE)
    throw badRequest(`first must be between 1 and ${MAX_PAGE}`);
  const cursorOf = (one: T) =>
    Buffer.from(JSON.stringify({ last_id: idOf(one) })).toString("base64");
  const start = after ? all.findIndex((one) => cursorOf(one) === after) + 1 : 0;
  if (after && start === 0) throw badRequest("Invalid cursor for current pagination sort.");
  const nodes = all.slice(start, start + first);
  const last = nodes.at(-1);
  return {
    nodes,
    pageInfo: { hasNextPage: start + first < all.length, endCursor: last ? cursorOf(last) : null },
  };
}
