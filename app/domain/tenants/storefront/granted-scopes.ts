// The scopes that a store granted to the app: with each token, and by app/scopes_update between two of them.
import type { Ctx } from "../../../context.server.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { findTenant } from "../tenant.ts";

/**
 * Keeps the scopes that the store had granted at that time. False for old news: of before the installation,
 * or of before a change that is known.
 */
export async function keepGrantedScopes(
  ctx: Ctx,
  shop: string,
  scopes: readonly string[],
  at: Date,
): Promise<boolean> {
  for (;;) {
    const tenant = await findTenant(ctx, shop);
    if (!tenant) return false;
    const { installed_at: installedAt, granted_scopes_at: knownAt } = tenant.connection;
    if ([installedAt, knownAt].some((known) => known !== undefined && new Date(known) > at))
      return false;
    const isKept = await changeTenantRecord(ctx, shop, {
      connection: { granted_scopes: [...scopes], granted_scopes_at: at.toISOString() },
      ifVersion: tenant.version.tenant,
    });
    if (isKept) return true;
  }
}
