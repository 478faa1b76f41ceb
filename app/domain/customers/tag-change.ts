// Changes a customer's tags: the rows, and one queue row per system of the write matrix, in one
// transaction.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { awaitDeliveries, type DeliveryState } from "../bus/await-deliveries.ts";
import { FLOW_CHANNEL } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import {
  changeAssignedTags,
  listAssignedTags,
  type TagChange,
  type TagChangeResult,
} from "../tags/assignments.ts";
import { ActedBy } from "../consent/acting-person.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { CUSTOMER_GID, normaliseEmail } from "./customer-change.ts";
import { channelsFor } from "../inventory/write-matrix.ts";

const MAX_TAGS = 50;
/** How long a response may wait for the systems (DECISIONS 8). */
const WAIT_MS = 5_000;

const names = z
  .array(z.string().max(200))
  .max(MAX_TAGS, `must hold at most ${MAX_TAGS}`)
  .default([]);
const TagLists = z.object({ add: names, remove: names });

/** The request of a customer's browser: `ga_session_id` is the analytics product's session. */
export const OwnTagLists = TagLists.extend({
  ga_session_id: z
    .string()
    .regex(/^[\w.:-]+$/, "may hold letters, digits, and . _ : -")
    .max(100)
    .optional(),
  acted_by: ActedBy,
});

/**
 * `isFromFlow`: the change starts no workflow of Shopify Flow, so that an action there never triggers
 * itself.
 */
type SaidTags = TagChange & { gaSessionId?: string | undefined; isFromFlow?: true };

/** The systems that the response reports; it waits for no other. */
const TAG_CHANNELS = ["storefront", "cms", "web_analytics"] as const;

export type ChangedTags = TagChangeResult & {
  channels: Record<"backend" | (typeof TAG_CHANNELS)[number], DeliveryState | "skipped">;
};

/**
 * Writes the rows and queue rows without waiting for the systems. Throws `not_found` for an unknown
 * customer, and what `changeAssignedTags` throws.
 */
export async function writeTags(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  change: SaidTags,
): Promise<TagChangeResult & { eventId: string }> {
  return dataOf(ctx, tenant).transaction((sql) =>
    writeTagsWithin(ctx, tenant, sql, userId, change),
  );
}

/** The same inside the caller's transaction. */
export async function writeTagsWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  { gaSessionId, isFromFlow, ...change }: SaidTags,
): Promise<TagChangeResult & { eventId: string }> {
  if (change.add.length + change.remove.length > MAX_TAGS)
    throw new AppError("invalid_request", {
      fields: { add: `add and remove must hold at most ${MAX_TAGS} in all` },
    });
  const eventId = ctx.random.uuid();
  const changed = await changeAssignedTags(sql, userId, change);
  if (!changed) throw new AppError("not_found", { message: "There is no such person." });
  if (changed.added.length + changed.removed.length === 0) return { ...changed, eventId };
  // A tag that was set by hand keeps the rules from setting its opposite; after its removal they may set it.
  const announce = isFromFlow ? "nobody" : "flow_only";
  await updateSystemTags(ctx, tenant, sql, [userId], { announce });
  await enqueue(sql, {
    eventId,
    source: "backend",
    eventType: "customer.tags_changed",
    entityType: "customer",
    entityId: String(userId),
    payload: {
      user_id: userId,
      cause: "tag_change",
      tags_added: changed.added,
      tags_removed: changed.removed,
      ...(gaSessionId && { ga_session_id: gaSessionId }),
    },
    occurredAt: ctx.clock.now(),
    destinations: channelsFor("tag_change", tenant, ctx.channels).filter(
      (name) => !isFromFlow || name !== FLOW_CHANNEL,
    ),
  });
  const tags = await listAssignedTags(sql, userId);
  return { ...changed, tags: tags.map(({ slug }) => slug), eventId };
}

/**
 * The same, with the delivery results of the first five seconds. `lockPerson` locks the row
 * of the person whose tags they are, because the address or customer of the request may belong to another by now.
 */
export async function changeTags(
  ctx: Ctx,
  tenant: Tenant,
  lockPerson: (sql: TenantSql) => Promise<number>,
  change: SaidTags,
): Promise<ChangedTags> {
  const { eventId, ...result } = await dataOf(ctx, tenant).transaction(async (sql) =>
    writeTagsWithin(ctx, tenant, sql, await lockPerson(sql), change),
  );
  const states = await awaitDeliveries(dataOf(ctx, tenant).sql, eventId, TAG_CHANNELS, WAIT_MS);
  const state = (channel: string) => states.get(channel) ?? "skipped";
  return {
    ...result,
    channels: {
      backend: "ok",
      storefront: state("storefront"),
      cms: state("cms"),
      web_analytics: state("web_analytics"),
    },
  };
}

export const TagAssignment = TagLists.extend({
  user_id: z.number().int().positive().max(2_147_483_647).optional(),
  email: z.string().max(320).optional(),
  gid: z.string().regex(CUSTOMER_GID, "must be a customer's gid").optional(),
}).refine(
  ({ user_id: id, email, gid }) =>
    [id, email, gid].filter((value) => value !== undefined).length === 1,
  { message: "name the person by one of user_id, email and gid", path: ["user_id"] },
);

/** The operator's change: any customer, any category. */
export async function assignTags(
  ctx: Ctx,
  tenant: Tenant,
  { user_id: id, email, gid, add, remove }: z.output<typeof TagAssignment>,
): Promise<ChangedTags & { user_id: number }> {
  let userId = 0;
  // The address or the customer may go to another account while the row is waited for: then it is not found.
  const lockPerson = async (sql: TenantSql): Promise<number> => {
    const [user] = await sql<Columns<StorefrontUser, "id">>(
      `SELECT id FROM storefront_users WHERE shop = $1 AND (id = $2 OR lower(email) = $3
        OR storefront_customer_gid = $4) AND status <> 'deleted' FOR UPDATE`,
      [id ?? null, email === undefined ? null : normaliseEmail(email), gid ?? null],
    );
    if (!user) throw new AppError("not_found", { message: "There is no such person." });
    userId = user.id;
    return userId;
  };
  const change = { add, remove, source: "admin" as const, categories: null };
  const changed = await changeTags(ctx, tenant, lockPerson, change);
  return { user_id: userId, ...changed };
}
