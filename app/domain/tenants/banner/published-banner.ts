// The banner that shoppers see. The tenant's record names its version, so that a page of a store without a
// banner of its own costs no read, and a version is read once per process and change of the record.
import type { Ctx } from "../../../context.server.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { dataOf, findTenant, type Tenant } from "../tenant.ts";
import { BannerDesign, DEFAULT_DESIGN } from "./banner-design.ts";

/** `version`: 0 is the banner of a store that published none. */
export type PublishedBanner = { version: number; design: BannerDesign };

const NONE: PublishedBanner = { version: 0, design: DEFAULT_DESIGN };
// By the tenant object, not by its name: the versions of a store that was deleted begin again at 1.
const cache = new WeakMap<Tenant, PublishedBanner>();

export async function findPublishedBanner(ctx: Ctx, tenant: Tenant): Promise<PublishedBanner> {
  const version = tenant.connection.banner_version ?? 0;
  if (version === 0) return NONE;
  const known = cache.get(tenant);
  if (known) return known;
  const found = await readVersion(ctx, tenant, version);
  if (found) cache.set(tenant, found);
  return found ?? NONE;
}

async function readVersion(
  ctx: Ctx,
  tenant: Tenant,
  version: number,
): Promise<PublishedBanner | null> {
  const row = await dataOf(ctx, tenant).prisma.bannerVersion.findFirst({
    select: { design: true },
    where: { version },
  });
  const design = BannerDesign.safeParse(row?.design);
  return design.success ? { version, design: design.data } : null;
}

/**
 * Lets the tenant's record name the newest version. The two may be in different databases: the version commits
 * first, and the scheduled run repeats this after a crash between the two.
 */
export async function nameNewestBanner(ctx: Ctx, shop: string): Promise<void> {
  for (;;) {
    const tenant = await findTenant(ctx, shop);
    if (!tenant) return;
    const newest = await dataOf(ctx, tenant).prisma.bannerVersion.findFirst({
      select: { version: true },
      orderBy: { version: "desc" },
    });
    // Read again after a change: of two publications at once the earlier must not be named last.
    if ((newest?.version ?? 0) === (tenant.connection.banner_version ?? 0)) return;
    if (
      !(await changeTenantRecord(ctx, shop, {
        connection: { banner_version: newest?.version ?? null },
      }))
    )
      return;
  }
}
