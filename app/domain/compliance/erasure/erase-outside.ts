// Erases a person from the derived data: the CMS item, the profile platform, the archive. The
// storefront is not changed, because it requested the erasure.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, EventLedger } from "../../../db.server.ts";
import { HASHED_EMAIL } from "../../../integrations/profile-platform.ts";
import { ignoreMissing } from "../../../runtime/errors.ts";
import { deleteKeyIfHeld } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { putLeaseIfFree } from "../../../runtime/database/queue/lease.ts";
import { BACKEND_CHANNEL } from "../../bus/channel.ts";
import { RESERVED_FOLDERS } from "../../bus/routing.ts";
import { cmsSlugOf } from "../../customers/cms-slug.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { Reschedule, type PrivacyRequest } from "../requests/privacy-requests.ts";
import { textSearch } from "../personal-values/text-search.ts";
import { mentionSpellings, type KnownSubject } from "../subject.ts";

const LEASE_SECONDS = 15;
const BUSY_MS = 500;

/** `no_access`: the account has an item, but the CMS settings were removed. */
export async function eraseCmsItem(
  ctx: Ctx,
  tenant: Tenant,
  request: PrivacyRequest,
  userId: number,
): Promise<"deleted" | "none" | "no_access"> {
  const { sql, prisma } = dataOf(ctx, tenant);
  // Uses the lease of the CMS deliveries: a concurrent delivery would write its item after the deletion.
  const lease = KEYS.customerLease("cms", userId);
  if (!(await putLeaseIfFree(sql, lease, request.token, LEASE_SECONDS)))
    throw new Reschedule(BUSY_MS);
  try {
    const row = await prisma.storefrontUser.findFirst({
      select: { cms_item_id: true },
      where: { id: userId },
    });
    const { cms_api_token: token, cms_customers_collection_id: collectionId } = tenant.config;
    if (!token || !collectionId) return row?.cms_item_id ? "no_access" : "none";
    const access = { token, collectionId, about: { shop: tenant.shop, request_id: request.id } };
    // Includes an item whose creation was never confirmed: only its slug identifies the customer.
    const bySlug = await ctx.cms.findItemBySlug(access, cmsSlugOf(userId));
    const itemIds = new Set(
      [row?.cms_item_id, bySlug?.id].filter((id): id is string => typeof id === "string"),
    );
    for (const itemId of itemIds) await ignoreMissing(ctx.cms.deleteItem(access, itemId));
    await prisma.storefrontUser.updateMany({
      where: { id: userId },
      data: { cms_item_id: null, cms_hash: null },
    });
    return itemIds.size > 0 ? "deleted" : "none";
  } finally {
    await deleteKeyIfHeld(sql, lease, request.token);
  }
}

export async function eraseProfiles(
  ctx: Ctx,
  tenant: Tenant,
  request: PrivacyRequest,
  emails: readonly string[],
): Promise<number> {
  // Also when the channel is disabled: data that was sent earlier is still there.
  const { profile_platform_url: url, profile_platform_token: token } = tenant.config;
  if (!url) return 0;
  for (const email of emails)
    await ignoreMissing(
      ctx.profilePlatform.erase(
        { url, token, about: { shop: tenant.shop, request_id: request.id } },
        { namespace: HASHED_EMAIL, id: hash("sha256", email) },
      ),
    );
  return emails.length;
}

/** The folders of the store's root beside `events/`. */
const STORE_FOLDERS = ["gdpr", "consent/checkpoints"] as const;

type FiledEvent = Columns<EventLedger, "event_id"> & { channels: string[]; day: string };

/**
 * The archive paths of these events; an event with different days in two tables is searched on
 * both.
 */
async function filedPaths(
  ctx: Ctx,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<string[]> {
  const rows = await dataOf(ctx, tenant).sql<FiledEvent>(
    `SELECT event_id, ARRAY(SELECT jsonb_array_elements_text(destinations)) AS channels,
      to_char(received_at, 'YYYY-MM-DD') AS day FROM event_ledger WHERE shop = $1 AND event_id = ANY($2::text[])
     UNION SELECT event_id, array_agg(channel ORDER BY channel), to_char(created_at, 'YYYY-MM-DD')
       FROM integration_queue WHERE shop = $1 AND event_id = ANY($2::text[])
       GROUP BY event_id, to_char(created_at, 'YYYY-MM-DD')`,
    [eventIds],
  );
  return [
    ...new Set(
      rows.flatMap(({ event_id, channels, day }) =>
        [...channels, BACKEND_CHANNEL, ...RESERVED_FOLDERS].map(
          (folder) => `events/${folder}/${day}/${event_id}.json`,
        ),
      ),
    ),
  ];
}

/** Objects of the person's events, and objects of the tenant that mention the person. */
export async function eraseArchived(
  ctx: Ctx,
  tenant: Tenant,
  subject: KnownSubject,
): Promise<number> {
  const search = textSearch(mentionSpellings(subject));
  const mentions = search && new RegExp(search[0], "i");
  const archive = ctx.archive.ofStore(tenant.shop);
  await archive.removeUnfinished();
  let removed = 0;
  const remove = async (path: string, isWanted: (text: string) => boolean) => {
    const object = await archive.get(path);
    if (object === null || !isWanted(object.toString("utf8"))) return;
    await archive.remove(path);
    removed += 1;
  };
  for (const path of await filedPaths(ctx, tenant, subject.eventIds))
    await remove(path, () => true);
  if (mentions)
    for (const folder of STORE_FOLDERS)
      for (const path of await archive.list(`${folder}/${tenant.shop}/`))
        await remove(path, (text) => mentions.test(text));
  return removed;
}
