// A shopper's own export (GDPR 15 and 20), directly and without the merchant. With an unverified
// address it contains none of the storefront's data of that customer, because anybody can sign up
// with a stranger's address.
import type { Ctx } from "../../../context.server.ts";
import type { Row } from "../../../runtime/database/database.ts";
import { isProven, toUser, type Account } from "../../identity/account.ts";
import { isShownToUnproven } from "../../identity/own-tags.ts";
import { requireRecentAuth } from "../../identity/session/recent-auth.ts";
import type { Session } from "../../identity/session/sessions.ts";
import type { AssignedTag } from "../../tags/assignments.ts";
import { readWhereStoreIs } from "../../tenants/reading.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { readAccountSections, readEventSections } from "../export/compile-export.ts";

/** Throws `reauth_required` when the sign-in is older than a day. */
export async function compileOwnExport(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
): Promise<object> {
  requireRecentAuth(ctx, session);
  return compileExportOf(ctx, tenant, session.account, {
    isOwnerVerified: isProven(session.account),
  });
}

/**
 * For callers that have authenticated the person. `isOwnerVerified`: the person is the storefront's customer of
 * this account, and gets its data too.
 */
export async function compileExportOf(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  { isOwnerVerified }: { isOwnerVerified: boolean },
): Promise<object> {
  const known = {
    userIds: [account.id],
    gids: [account.storefront_customer_gid].filter((gid) => gid !== null),
    emails: [account.email].filter((email) => email !== null),
    phones: [],
    names: [],
    orders: [],
    eventIds: [],
  };
  const { sections, events } = await readWhereStoreIs(ctx, tenant, async (at) => ({
    sections: await readAccountSections(dataOf(ctx, at).sql, [account.id]),
    events: isOwnerVerified ? await readEventSections(ctx, at, known) : null,
  }));
  ctx.log.info("own_data.exported", {
    shop: tenant.shop,
    user_id: account.id,
    proven: isOwnerVerified,
  });
  return {
    store: tenant.shop,
    exported_at: ctx.clock.now().toISOString(),
    is_complete: isOwnerVerified,
    ...(events ? { ...sections, ...withoutPayloads(events) } : unproven(account, sections)),
  };
}

/**
 * Excludes messages that mention the person, because they may also contain other people; only the
 * merchant's export has them.
 */
const withoutPayloads = <S extends { deliveries: Row[] }>(events: S): S => ({
  ...events,
  deliveries: events.deliveries.map((row) => ({ ...row, payload: undefined })),
});

/** The rows of the account itself, as its owner may see them. */
function unproven(account: Account, sections: Record<string, Row[]>): object {
  const { returns: _, tags = [], ...own } = sections;
  return {
    ...own,
    accounts: [toUser(account)],
    tags: tags.filter((tag) => isShownToUnproven(tag as AssignedTag)),
  };
}
