// Who the customer of a session token is here. The platform has proven the customer, so that the account gets the
// storefront's data without another proof. A customer who is not known yet is brought in, as by a webhook.
import type { Ctx } from "../../../context.server.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { applyStorefrontChange } from "../../customers/from-storefront.ts";
import { canRefetch, fetchCustomer } from "../../customers/refetch.ts";
import { findStorefrontPerson } from "../../customers/storefront-person.ts";
import { isDeletedHere, liftUnprovenTombstones } from "../../customers/tombstones.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { findPerson, getAccount, type Account, type Person } from "../account.ts";

/** Throws `account_deleted`, `account_suspended`, or `storefront_unavailable`. */
export async function requireAccountCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<Person> {
  const userId =
    (await findStorefrontPerson(ctx, tenant, gid)) ?? (await bringIn(ctx, tenant, gid));
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (person?.account.status !== "active") throw new AppError("account_deleted");
  return person;
}

/** The account of a customer whom the storefront's app proxy names; null without one. */
export async function findCustomerAccount(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<Account | null> {
  const userId = await findStorefrontPerson(ctx, tenant, gid);
  return userId === null ? null : getAccount(dataOf(ctx, tenant).sql, userId);
}

async function bringIn(ctx: Ctx, tenant: Tenant, gid: string): Promise<number> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const known = await prisma.storefrontUser.findFirst({
    select: { id: true, status: true },
    where: { storefront_customer_gid: gid },
  });
  // Another call has brought the customer in at the same moment.
  if (known?.status === "active") return (await findStorefrontPerson(ctx, tenant, gid)) ?? known.id;
  if (known?.status === "suspended") throw new AppError("account_suspended");
  if (known || (await isDeletedHere(ctx, sql, tenant.shop, gid)))
    throw new AppError("account_deleted");
  const change = await fetchOrFail(ctx, tenant, gid);
  const email = change.email ?? null;
  await liftUnprovenTombstones(ctx, sql, tenant.shop, { gid, email });
  const applied = await applyStorefrontChange(ctx, tenant, change, {
    eventId: ctx.random.orderedUuid(),
    eventType: "customer.created",
  });
  if (applied.outcome === "gone" || applied.userId === null) throw new AppError("account_deleted");
  // An unproven sign-up that has the address keeps it to itself: the customer gets an account of their own.
  return (await findStorefrontPerson(ctx, tenant, gid)) ?? applied.userId;
}

async function fetchOrFail(ctx: Ctx, tenant: Tenant, gid: string) {
  if (!canRefetch(tenant)) throw new AppError("storefront_unavailable");
  try {
    const change = await fetchCustomer(ctx, tenant, gid);
    if (change) return change;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("customer.not_fetched", { shop: tenant.shop, reason: error.message });
  }
  throw new AppError("storefront_unavailable");
}
