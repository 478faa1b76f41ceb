// A person's copy of the own data (GDPR 15 and 20), at once and without the merchant. Of who has not proved the address,
// nothing is told that the storefront knows of its customer: anybody can sign up with a stranger's address.
import type { Ctx } from "../../context.server.ts";
import type { Row } from "../../runtime/database.ts";
import { isProven, toUser } from "../identity/account.ts";
import { requireFreshSignIn } from "../identity/fresh-sign-in.ts";
import type { Session } from "../identity/sessions.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { readAccountSections, readEventSections } from "./compile-export.ts";

/** Throws `reauth_required` a day after the sign-in. */
export async function compileOwnExport(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
): Promise<object> {
  requireFreshSignIn(ctx, session);
  const { account } = session;
  const sections = await readAccountSections(dataOf(ctx, tenant).sql, [account.id]);
  const known = {
    userIds: [account.id],
    gids: [account.storefront_customer_gid].filter((gid) => gid !== null),
    emails: [account.email].filter((email) => email !== null),
    phones: [],
    names: [],
    orders: [],
    eventIds: [],
  };
  const proven = isProven(account);
  ctx.log.done("own_data.exported", { shop: tenant.shop, user_id: account.id, proven });
  return {
    store: tenant.shop,
    exported_at: ctx.clock.now().toISOString(),
    is_complete: proven,
    ...(proven
      ? { ...sections, ...withoutPayloads(await readEventSections(ctx, tenant, known)) }
      : unproven(session, sections)),
  };
}

/** A message that mentions the person may hold somebody else as well; the merchant, who reads the other export, knows who. */
const withoutPayloads = <S extends { deliveries: Row[] }>(events: S): S => ({
  ...events,
  deliveries: events.deliveries.map((row) => ({ ...row, payload: undefined })),
});

/** What came in under the account itself, as its owner is shown it. */
function unproven({ account }: Session, sections: Record<string, Row[]>): object {
  const { returns: _, tags = [], ...own } = sections;
  return {
    ...own,
    accounts: [toUser(account)],
    tags: tags.filter(({ source }) => source !== "storefront"),
  };
}
