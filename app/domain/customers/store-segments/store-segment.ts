// The segments of the store admin: the store's own API names their members. Our own segments are filters
// of the customer list (segments/segment.ts).
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { CUSTOMER_SEGMENT, SEGMENT_MEMBERS } from "../../../integrations/storefront/documents.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { callAdminApi } from "../../tenants/storefront/admin-api.ts";
import { ask } from "../sync/sync-run.ts";

/** The platform's limit is 1,000. */
const PAGE = 500;

export const StoreSegmentId = z
  .string()
  .regex(/^gid:\/\/shopify\/Segment\/\d{1,20}$/, "must be the id of a segment");

export type StoreSegment = {
  id: string;
  name: string;
  /** As the store counts them now. */
  customers: number;
};

type MembersAnswer = {
  customerSegmentMembers: {
    totalCount: number;
    edges: { node: { id: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/** Throws `not_found` for a segment that the store does not have, and what `callAdminApi` throws. */
export async function getStoreSegment(
  ctx: Ctx,
  { shop }: Tenant,
  id: string,
): Promise<StoreSegment> {
  const { segment } = await callAdminApi<{ segment: { id: string; name: string } | null }>(
    ctx,
    shop,
    { document: CUSTOMER_SEGMENT, variables: { id } },
  );
  if (!segment) throw new AppError("not_found", { message: "The store has no such segment." });
  const { customerSegmentMembers: members } = await callAdminApi<MembersAnswer>(ctx, shop, {
    document: SEGMENT_MEMBERS,
    variables: { segmentId: id, first: 1, after: null },
  });
  return { id, name: segment.name, customers: members.totalCount };
}

export type MemberPage = { gids: string[]; /** Null at the end. */ next: string | null };

/** Retries what may succeed soon, within a minute or so. Throws `malformed` for a page that leads to itself. */
export async function readMembers(
  run: Parameters<typeof ask>[0],
  segmentId: string,
  after: string | null,
): Promise<MemberPage> {
  const { customerSegmentMembers: members } = await ask<MembersAnswer>(run, {
    document: SEGMENT_MEMBERS,
    variables: { segmentId, first: PAGE, after },
  });
  const { hasNextPage, endCursor } = members.pageInfo;
  if (hasNextPage && (endCursor === null || endCursor === after))
    throw new OutboundError("storefront", "malformed", {
      message: "the storefront's list of a segment's members has no next page",
    });
  return {
    gids: members.edges.map(({ node }) => toCustomerGid(node.id)),
    next: hasNextPage ? endCursor : null,
  };
}

const toCustomerGid = (memberId: string): string =>
  `gid://shopify/Customer/${memberId.slice(memberId.lastIndexOf("/") + 1)}`;
