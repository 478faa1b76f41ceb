// Assigns a new tag of the catalog to the customers who carry it at the storefront already. The
// customers are compared in slices, in the order of their ids; each tag keeps the last customer that
// it was compared with, so that a pass whose process dies goes on there.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { enqueueMany } from "../../bus/enqueue.ts";
import { toSlug } from "../../tags/catalog.ts";
import { assignFromStorefront, type TagAssignment } from "../../tags/storefront-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { channelsFor } from "../../inventory/write-matrix.ts";

const SLICE = 2_000;
/** How long a request compares before the worker goes on alone. */
const REQUEST_MS = 5_000;

type OpenTag = Columns<CrmTag, "id" | "slug"> & { matched_to: number };
type Customer = Columns<StorefrontUser, "id" | "tags"> & { tags: string[] };

/** True when every tag is compared with every customer; false when it was stopped. Safe to repeat. */
export async function matchTags(
  ctx: Ctx,
  tenant: Tenant,
  isStopped: () => boolean,
): Promise<boolean> {
  while (!isStopped()) if (!(await matchSlice(ctx, tenant))) return true;
  return false;
}

/** Compares at once what a merchant waits for; a large store is left to the worker after seconds. */
export async function matchTagsAtOnce(ctx: Ctx, tenant: Tenant): Promise<void> {
  const end = performance.now() + REQUEST_MS;
  await matchTags(ctx, tenant, () => performance.now() > end);
}

/** False when no tag is left. */
async function matchSlice(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  const { sql, transaction } = dataOf(ctx, tenant);
  const open = await sql<OpenTag>(
    "SELECT id, slug, matched_to FROM crm_tags WHERE shop = $1 AND matched_to IS NOT NULL",
  );
  if (open.length === 0) return false;
  const customers = await sql<Customer>(
    `SELECT id, tags FROM storefront_users WHERE shop = $1 AND id > $2 AND tags <> '[]'
      AND status <> 'deleted' ORDER BY id LIMIT ${SLICE}`,
    [Math.min(...open.map(({ matched_to: position }) => position))],
  );
  const idOf = new Map(open.map(({ id, slug }) => [slug, id]));
  const carriers = customers.filter(({ tags }) => tags.some((tag) => idOf.has(toSlug(tag))));
  await transaction(async (inside) => {
    const assigned = await assignTo(inside, carriers, idOf);
    await enqueueCustomers(ctx, tenant, inside, assigned);
    const last = customers.length < SLICE ? null : (customers.at(-1)?.id ?? null);
    await inside(ADVANCE, [[...idOf.values()], last]);
  });
  return true;
}

// Sorted, so that two passes of one store wait for each other instead of deadlocking.
const ADVANCE = `
  WITH compared AS (SELECT id FROM crm_tags WHERE shop = $1 AND id = ANY($2::int[])
    ORDER BY id FOR NO KEY UPDATE)
  UPDATE crm_tags t SET matched_to = CASE WHEN $3::int IS NOT NULL THEN greatest(matched_to, $3) END
    FROM compared WHERE t.shop = $1 AND t.id = compared.id AND t.matched_to IS NOT NULL`;

/**
 * Locks the customers in the order of their ids and reads their tags again: a webhook may have
 * changed them meanwhile.
 */
async function assignTo(
  sql: TenantSql,
  carriers: readonly Customer[],
  idOf: ReadonlyMap<string, number>,
): Promise<TagAssignment[]> {
  if (carriers.length === 0) return [];
  const locked = await sql<Customer>(
    `SELECT id, tags FROM storefront_users WHERE shop = $1 AND id = ANY($2::int[])
      AND status <> 'deleted' ORDER BY id FOR UPDATE`,
    [carriers.map(({ id }) => id)],
  );
  const wanted = locked.flatMap(({ id: userId, tags }) =>
    [...new Set(tags.map(toSlug))].flatMap((slug) => {
      const tagId = idOf.get(slug);
      return tagId === undefined ? [] : { userId, tagId };
    }),
  );
  const assigned = await assignFromStorefront(sql, wanted);
  // From now on the storefront is known to hold them, so they are not written there again.
  if (assigned.length > 0)
    await sql(
      `UPDATE storefront_users u SET storefront_slugs = u.storefront_slugs || found.slugs
        FROM (SELECT given.user_id, jsonb_agg(t.slug ORDER BY t.slug) AS slugs
          FROM unnest($2::int[], $3::int[]) AS given(user_id, tag_id)
          JOIN crm_tags t ON t.shop = $1 AND t.id = given.tag_id GROUP BY given.user_id) AS found
        WHERE u.shop = $1 AND u.id = found.user_id`,
      [assigned.map(({ userId }) => userId), assigned.map(({ tagId }) => tagId)],
    );
  return assigned;
}

/** Enqueues for the systems that show tags, as a webhook does; the storefront has these tags already. */
async function enqueueCustomers(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  assigned: readonly TagAssignment[],
): Promise<void> {
  const destinations = channelsFor("storefront_webhook", tenant, ctx.channels);
  if (destinations.length === 0) return;
  await enqueueMany(sql, {
    source: "storefront",
    entityType: "customer",
    destinations,
    events: [...new Set(assigned.map(({ userId }) => userId))].map((userId) => ({
      eventId: ctx.random.orderedUuid(),
      eventType: "customer.updated",
      entityId: String(userId),
      payload: { user_id: userId, cause: "storefront_cron" },
      occurredAt: ctx.clock.now(),
    })),
  });
}
