/** Segments and their members in the simulated Admin API: pages of at most 1,000, by keyset cursors. */
import { GraphQLError } from "graphql";
import type { GraphqlContext } from "../graphql/admin-api.ts";
import { requireScope } from "../graphql/customer-resolvers.ts";
import { compareIds } from "../compare-ids.ts";
import { findSegment, membersOf } from "./segments.ts";

const MAX_PAGE = 1_000;
const SEGMENT_GID = /^gid:\/\/shopify\/Segment\/\d+$/;

type Asked = { segmentId?: string | null; first?: number | null; after?: string | null };

const badRequest = (message: string) =>
  new GraphQLError(message, { extensions: { code: "BAD_REQUEST" } });

function requireSegmentId(id: string): void {
  if (SEGMENT_GID.test(id)) return;
  throw new GraphQLError(`Invalid global id '${id}'`, {
    extensions: { code: "argumentLiteralsIncompatible" },
  });
}

export const segmentResolvers: Record<string, unknown> = {
  segment: ({ id }: { id: string }, { shop, scope }: GraphqlContext) => {
    requireScope(scope, "segment", "read");
    requireSegmentId(id);
    const found = findSegment(shop, id);
    return found ? { ...found, id: found.gid } : null;
  },

  customerSegmentMembers: ({ segmentId, first, after }: Asked, context: GraphqlContext) => {
    const { shop, scope } = context;
    requireScope(scope, "customerSegmentMembers", "read");
    if (!segmentId) throw badRequest("Exactly one of query, queryId or segmentId must be provided");
    requireSegmentId(segmentId);
    if (!first) throw badRequest("you must provide one of first or last");
    if (first < 1 || first > MAX_PAGE) throw badRequest(`first must be between 1 and ${MAX_PAGE}`);
    const segment = findSegment(shop, segmentId);
    if (!segment) throw badRequest("The segment does not exist");
    const members = membersOf(shop, segment.query);
    const last = after ? parseCursor(after, segmentId) : null;
    const rest = last === null ? members : members.filter(({ gid }) => compareIds(gid, last) > 0);
    const page = rest.slice(0, first);
    const end = page.at(-1);
    return {
      totalCount: members.length,
      edges: page.map(({ gid }) => ({
        node: { id: gid.replace("/Customer/", "/CustomerSegmentMember/") },
      })),
      pageInfo: {
        hasNextPage: rest.length > page.length,
        endCursor: end ? cursorOf(end.gid, segmentId) : null,
      },
    };
  },
};

const cursorOf = (gid: string, segmentId: string): string =>
  Buffer.from(JSON.stringify({ last_id: gid, segment: segmentId })).toString("base64");

function parseCursor(cursor: string, segmentId: string): string {
  try {
    const { last_id: gid, segment } = JSON.parse(Buffer.from(cursor, "base64").toString()) as {
      last_id: string;
      segment: string;
    };
    if (segment === segmentId) return gid;
  } catch {
    // Unreadable: refused like a cursor of another segment.
  }
  throw badRequest("Invalid cursor for current pagination sort.");
}
