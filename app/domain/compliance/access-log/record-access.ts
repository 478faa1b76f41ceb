// The access log: who looked at, listed, exported, changed or erased customers' data. A row holds
// ids, an action and a place, never the data, so that it may outlive an erased person.
import type { Ctx } from "../../../context.server.ts";
import type { TenantData } from "../../../db.server.ts";
import { writeWhileMoving } from "../../tenants/moves/write-while-moving.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";

/** `listed`: a page with several customers. */
export const ACCESS_ACTIONS = ["viewed", "listed", "exported", "changed", "erased"] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];

/**
 * `staff`: the store's user id; `operator`: the kind of the key; `agent`: the client id, null for an
 * agent with the shopper's own session; `link`: the unknown holder of a mailed download link.
 */
export const ACTOR_KINDS = ["staff", "operator", "shopper", "agent", "link"] as const;
export type Actor = { kind: (typeof ACTOR_KINDS)[number]; id: string | null };

export type Access = {
  actor: Actor;
  action: AccessAction;
  /** The customers, one row each. Without any, one row of the whole store. */
  userIds: readonly number[];
  /** How many customers' rows a list or a file held. */
  count: number | null;
  /** The route and, behind a space, its action or tool. */
  place: string;
  requestId: string;
  /** A view that is recorded although the same was recorded a moment ago. */
  isEveryTime?: boolean;
};

/** For a file whose rows are counted while it is sent. */
export type RecordedAccess = { setCount(count: number): Promise<void> };

/** Within this time the same view or list by the same actor is recorded once. */
const REPEATED_MINUTES = 10;
/** Bounds the search for an earlier view. */
const NEWEST_ROWS = 50;

const FIELDS = "shop, actor_kind, actor_id, action, user_id, count, place, request_id";

// A repeated list adds its rows to the count, so that paging through all customers shows.
const recordOnce = (ofCustomer: string) => `
  WITH recent AS (
    SELECT id FROM (
      SELECT id, actor_kind, actor_id, action, place, created_at FROM access_log
      WHERE shop = $1 AND ${ofCustomer} ORDER BY id DESC LIMIT ${NEWEST_ROWS}
    ) newest
    WHERE actor_kind = $2 AND coalesce(actor_id, '') = coalesce($3, '') AND action = $4
      AND place = $7 AND created_at > now() - interval '${REPEATED_MINUTES} minutes'
    ORDER BY id DESC LIMIT 1
  ), summed AS (
    UPDATE access_log SET count = coalesce(count, 0) + $6::int
    WHERE shop = $1 AND id = (SELECT id FROM recent) AND $6::int > 0
  )
  INSERT INTO access_log (${FIELDS})
  SELECT $1, $2, $3, $4, $5::int, $6::int, $7, $8 WHERE NOT EXISTS (SELECT FROM recent)`;

// Plain SQL: the tenant's Prisma client writes the shop too, and the service's role may write the count only.
const SET_COUNT = "UPDATE access_log SET count = $3 WHERE shop = $1 AND id = ANY($2::bigint[])";

const RECORD_VIEW = recordOnce("user_id = $5::int");
const RECORD_LIST = recordOnce("user_id IS NULL");

/**
 * Records one access. Never throws: the answer is given in any case, and an access that could not be
 * recorded is an error event.
 */
export async function recordAccess(
  ctx: Ctx,
  tenant: Tenant,
  access: Access,
): Promise<RecordedAccess> {
  const { actor, action, userIds, place, requestId } = access;
  const guard = (at: Tenant, work: (at: Tenant) => Promise<void>) =>
    writeWhileMoving(ctx, at, work).catch((error: unknown) =>
      ctx.log.error("access.not_recorded", error, {
        shop: tenant.shop,
        actor_kind: actor.kind,
        actor_id: actor.id,
        action,
        place,
        user_ids: userIds,
        request_id: requestId,
      }),
    );
  const isOncePerView = !access.isEveryTime && (action === "viewed" || action === "listed");
  let recorded: bigint[] = [];
  await guard(tenant, async (at) => {
    const data = dataOf(ctx, at);
    if (isOncePerView) await recordViews(data, access);
    else recorded = await insertRows(data, access);
  });
  return {
    async setCount(rows) {
      if (recorded.length === 0) return;
      // The store may have moved while the file was sent: its old cell has no such row, and refuses nothing.
      const current = (await findTenant(ctx, tenant.shop).catch(() => null)) ?? tenant;
      await guard(current, async (at) => {
        await dataOf(ctx, at).sql(SET_COUNT, [recorded, rows]);
      });
    },
  };
}

/** An access without customers gets one row, about the whole store. */
const customersOf = ({ userIds }: Access): readonly (number | null)[] =>
  userIds.length > 0 ? userIds : [null];

async function recordViews({ sql }: TenantData, access: Access): Promise<void> {
  const { actor, action, count, place, requestId } = access;
  for (const userId of customersOf(access))
    await sql(
      userId === null ? RECORD_LIST : RECORD_VIEW,
      [actor.kind, actor.id, action, userId, count, place, requestId],
      // Prepared once per connection: planning would cost more than the write.
      userId === null ? "record_list" : "record_view",
    );
}

/** Returns the ids of the new rows. */
async function insertRows({ shop, prisma }: TenantData, access: Access): Promise<bigint[]> {
  const { actor, action, count, place, requestId } = access;
  const rows = await prisma.accessLog.createManyAndReturn({
    select: { id: true },
    data: customersOf(access).map((userId) => ({
      // The tenant's client sets the shop.
      shop,
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      user_id: userId,
      count,
      place,
      request_id: requestId,
    })),
  });
  return rows.map(({ id }) => id);
}
