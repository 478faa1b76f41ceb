// One batch of the CMS sync: reads customers under their leases, writes them in one call, and
// stores ids and hashes. When the CMS rejects a batch for one item, the batch is halved until the
// item is alone.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { CMS_BATCH, isSlugTaken, type CmsAccess } from "../../../integrations/cms.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import type { PageCounts } from "../../customers/sync/page-counts.ts";
import { cmsSlugOf } from "../../customers/cms-slug.ts";
import { findCustomerSnapshots } from "../../customers/customer-snapshot.ts";
import { ensureCmsTagItems } from "../../tags/cms-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { digestOf, toCmsFields } from "./cms.ts";
import { withCustomerLeases } from "../customer-lease.ts";

export type CmsRun = {
  ctx: Ctx;
  tenant: Tenant;
  access: CmsAccess;
  counts: PageCounts;
  signal: AbortSignal;
};

type Kind = "create" | "update";
type Entry = {
  userId: number;
  itemId: string | null;
  fields: ReturnType<typeof toCmsFields>;
  digest: string;
};

const TRIES = 4;
const FIRST_RETRY_MS = 500;
const MAX_WAIT_MS = 120_000;

/**
 * Throws OutboundError when the CMS is unreachable or rejects our access, not when it rejects an
 * item.
 */
export async function writeBatch(
  run: CmsRun,
  kind: Kind,
  userIds: readonly number[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withCustomerLeases(run.ctx, run.tenant, "cms", userIds, (free) =>
        writeFree(run, kind, userIds, free),
      );
    } catch (error) {
      if (
        !(error instanceof OutboundError) ||
        !error.retryable ||
        attempt >= TRIES ||
        run.signal.aborted
      )
        throw error;
      // Releases the leases during the wait, which may be longer than a delivery should be delayed.
      await delay(
        Math.min(MAX_WAIT_MS, error.retryAfterMs ?? FIRST_RETRY_MS * 2 ** (attempt - 1)),
        undefined,
        { signal: run.signal },
      ).catch(() => undefined);
    }
  }
}

async function writeFree(
  run: CmsRun,
  kind: Kind,
  userIds: readonly number[],
  free: number[],
): Promise<void> {
  const customers = await findCustomerSnapshots(run.ctx, run.tenant, free);
  const entries: Entry[] = [];
  for (const customer of customers) {
    const fields = toCmsFields(
      customer,
      await ensureCmsTagItems(run.ctx, run.tenant, customer.crmTags),
    );
    const digest = digestOf(fields);
    if (!customer.cms_item_id || customer.cms_hash !== digest)
      entries.push({ userId: customer.id, itemId: customer.cms_item_id, fields, digest });
  }
  // Customers that the channel delivers now or has delivered since are already written.
  const wanted = entries.filter(({ itemId }) => (itemId === null) === (kind === "create"));
  if (wanted.length > 0) await (kind === "create" ? create(run, wanted) : update(run, wanted));
  run.counts.unchanged += userIds.length - wanted.length;
}

async function create(run: CmsRun, entries: readonly Entry[]): Promise<void> {
  const { cms } = run.ctx;
  try {
    const items = await cms.createItems(
      run.access,
      entries.map(({ fields }) => fields),
    );
    await store(
      run,
      entries.map((entry, index) => ({ ...entry, itemId: items[index]?.id ?? null })),
      "created",
    );
  } catch (error) {
    if (isSlugTaken(error)) return adopt(run, entries, error as OutboundError);
    await halve(run, entries, error, create);
  }
}

/** Items of an earlier creation whose response was lost are found by their slugs and updated. */
async function adopt(
  run: CmsRun,
  entries: readonly Entry[],
  refusal: OutboundError,
): Promise<void> {
  const ids = await findBySlug(
    run,
    entries.map(({ userId }) => cmsSlugOf(userId)),
  );
  const found = entries.flatMap((entry) => {
    const itemId = ids.get(cmsSlugOf(entry.userId));
    return itemId ? [{ ...entry, itemId }] : [];
  });
  if (found.length === 0) return countRefused(run, entries, refusal);
  await update(run, found);
  const missing = entries.filter(({ userId }) => !ids.has(cmsSlugOf(userId)));
  if (missing.length > 0) await create(run, missing);
}

/** By pages of the whole collection or one by one, whichever takes fewer calls. */
async function findBySlug(run: CmsRun, slugs: readonly string[]): Promise<Map<string, string>> {
  const { cms } = run.ctx;
  const found = new Map<string, string>();
  const first = await cms.listItems(run.access, 0);
  const pages = Math.ceil(first.total / CMS_BATCH);
  for (let page = 0; pages <= slugs.length && page < pages; page += 1) {
    const { items } = page === 0 ? first : await cms.listItems(run.access, page * CMS_BATCH);
    for (const { slug, id } of items) if (slug !== null) found.set(slug, id);
  }
  if (pages <= slugs.length) return found;
  for (const slug of slugs) {
    const item = await cms.findItemBySlug(run.access, slug);
    if (item) found.set(slug, item.id);
  }
  return found;
}

async function update(run: CmsRun, entries: readonly Entry[]): Promise<void> {
  try {
    await run.ctx.cms.updateItems(
      run.access,
      entries.map(({ itemId, fields }) => ({ id: itemId as string, fields })),
    );
    await store(run, entries, "updated");
  } catch (error) {
    const [only] = entries;
    // The item was deleted manually: the customer gets a new one.
    if (entries.length === 1 && only && error instanceof OutboundError && error.status === 404)
      return create(run, [{ ...only, itemId: null }]);
    await halve(run, entries, error, update);
  }
}

function countRefused(run: CmsRun, entries: readonly Entry[], refusal: OutboundError): void {
  run.counts.failed += entries.length;
  run.ctx.log.warn("cms_sync.item_refused", {
    shop: run.tenant.shop,
    user_ids: entries.map(({ userId }) => userId),
    reason: refusal.message,
  });
}

/** Only a rejection of the content can differ between halves; other errors apply to every half. */
async function halve(
  run: CmsRun,
  entries: readonly Entry[],
  error: unknown,
  write: (run: CmsRun, entries: readonly Entry[]) => Promise<void>,
): Promise<void> {
  // A 404 on a creation is about the collection.
  if (
    !(error instanceof OutboundError) ||
    ![400, 409, 422, ...(write === update ? [404] : [])].includes(error.status ?? 0)
  )
    throw error;
  if (entries.length === 1) return countRefused(run, entries, error);
  const middle = Math.ceil(entries.length / 2);
  await write(run, entries.slice(0, middle));
  await write(run, entries.slice(middle));
}

async function store(
  run: CmsRun,
  entries: readonly Entry[],
  as: "created" | "updated",
): Promise<void> {
  await dataOf(run.ctx, run.tenant).sql(
    // Locked in the order of their ids, as everywhere.
    `UPDATE storefront_users SET cms_item_id = kept.item_id, cms_hash = kept.digest FROM (
      SELECT u.id, c.item_id, c.digest FROM unnest($2::int[], $3::text[], $4::text[]) AS c(id, item_id, digest)
      JOIN storefront_users u ON u.shop = $1 AND u.id = c.id ORDER BY u.id FOR NO KEY UPDATE OF u
    ) AS kept WHERE storefront_users.shop = $1 AND storefront_users.id = kept.id`,
    [
      entries.map(({ userId }) => userId),
      entries.map(({ itemId }) => itemId),
      entries.map(({ digest }) => digest),
    ],
  );
  run.counts[as] += entries.length;
}
