// Brings the customers into the store and from there into the service, as the first import of a
// connected store does. Some had signed up here before.
import { initTagSystem } from "../domain/tags/init-tag-system.ts";
import { updateSystemTags } from "../domain/tags/system-tags.ts";
import { fromGraphqlCustomer, type CustomerChange } from "../domain/customers/customer-change.ts";
import { applyStorefrontPage } from "../domain/customers/sync/apply-page.ts";
import { readSyncState, saveSyncState } from "../domain/customers/sync/sync-state.ts";
import { signUp } from "../domain/identity/sign-up.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { isAppError } from "../runtime/errors.ts";
import { retryOnConflict } from "../runtime/database/retry-on-conflict.ts";
import { backdatePeople, rememberStoreTags } from "./backdate.ts";
import { findUserIds, inHistory, slicesOf, timeOf, type Demo } from "./demo.ts";
import type { DemoCustomer, DemoOrder } from "./people.ts";

const SLICE = 40;
/** Slices at once; the newest customers are a slice of their own. */
const CONCURRENCY = 3;
/** These passwords are made up and forgotten, so their hashes need not be strong. */
const QUICK_ITERATIONS = 1_000;
const DAY_MS = 86_400_000;

/** Safe to repeat: the same customers and orders under the same gids. */
export function fillStorefront({ storefront, tenant, customers, calendar }: Demo): void {
  for (const customer of customers) {
    for (const order of customer.orders)
      storefront.putOrder(tenant.shop, toStoreOrder(customer, order, calendar.end));
    storefront.putCustomer(tenant.shop, toStoreCustomer(customer));
  }
}

const isoSeconds = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, "Z");

function toStoreCustomer(customer: DemoCustomer) {
  const { joinedAt, unsubscribedAt, orders, spent } = customer;
  const marketingAt = unsubscribedAt ?? (customer.isSubscribed ? joinedAt : null);
  return {
    gid: customer.gid,
    createdAt: isoSeconds(joinedAt),
    updatedAt: isoSeconds(customer.changedAt),
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
    locale: customer.language,
    countryCode: customer.country,
    state: customer.lastSignInAt ? ("ENABLED" as const) : ("DISABLED" as const),
    tags: [] as string[],
    numberOfOrders: String(orders.length),
    amountSpent: spent.toFixed(2),
    emailMarketingState: stateOf(customer),
    ...(marketingAt && { emailMarketingUpdatedAt: isoSeconds(marketingAt) }),
  };
}

const stateOf = ({
  isSubscribed,
  unsubscribedAt,
}: DemoCustomer): "SUBSCRIBED" | "UNSUBSCRIBED" | "NOT_SUBSCRIBED" =>
  isSubscribed ? "SUBSCRIBED" : unsubscribedAt ? "UNSUBSCRIBED" : "NOT_SUBSCRIBED";

function toStoreOrder({ gid }: DemoCustomer, order: DemoOrder, today: Date) {
  const isShipped = today.getTime() - order.at.getTime() > 2 * DAY_MS;
  const shippedAt = new Date(order.at.getTime() + DAY_MS);
  const number = order.gid.slice(-6);
  return {
    gid: order.gid,
    name: order.name,
    customerGid: gid,
    createdAt: isoSeconds(order.at),
    financialStatus: order.isRefunded ? "REFUNDED" : "PAID",
    fulfillmentStatus: isShipped ? "FULFILLED" : "UNFULFILLED",
    lines: order.lines.map(({ variantGid, quantity }) => ({ variantGid, quantity })),
    fulfillments: isShipped
      ? [
          {
            gid: order.gid.replace("Order", "Fulfillment"),
            status: "SUCCESS",
            createdAt: isoSeconds(shippedAt),
            tracking: [
              {
                company: "DHL",
                number: `00340434${number}`,
                url: `https://carrier.example/track/00340434${number}`,
              },
            ],
          },
        ]
      : [],
  };
}

/** What the store's API says about the customer, so that the next sync finds nothing new. */
const toChange = (customer: DemoCustomer): CustomerChange =>
  fromGraphqlCustomer({
    id: customer.gid,
    createdAt: isoSeconds(customer.joinedAt),
    updatedAt: isoSeconds(customer.changedAt),
    firstName: customer.firstName,
    lastName: customer.lastName,
    locale: customer.language,
    tags: [],
    numberOfOrders: String(customer.orders.length),
    amountSpent: { amount: customer.spent.toFixed(2) },
    defaultEmailAddress: { emailAddress: customer.email, marketingState: stateOf(customer) },
    defaultPhoneNumber: null,
    defaultAddress: { countryCodeV2: customer.country },
  });

/** The catalog of tags, in all three places where it lives. */
export async function prepareTags({ ctx, tenant }: Demo): Promise<void> {
  await initTagSystem(ctx, tenant);
}

/** Oldest first, so that the newest customers are the last ones of the table. Safe to repeat. */
export async function importCustomers(demo: Demo): Promise<void> {
  for (const slices of slicesOf(slicesOf(demo.customers, SLICE), CONCURRENCY)) {
    demo.signal.throwIfAborted();
    await Promise.all(slices.map((slice) => importSlice(demo, slice)));
  }
  await noteImport(demo);
}

async function importSlice(demo: Demo, slice: readonly DemoCustomer[]): Promise<void> {
  const { ctx, tenant } = demo;
  await signUpFirst(demo, slice);
  await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (sql, prisma) => {
      await applyStorefrontPage(ctx, tenant, sql, slice.map(toChange));
      await backdatePeople(
        sql,
        slice.map((customer) => ({
          gid: customer.gid,
          created_at: customer.joinedAt,
          updated_at: customer.changedAt,
          last_login_at: customer.lastSignInAt,
        })),
      );
      const people = await prisma.storefrontUser.findMany({
        select: { id: true },
        where: { storefront_customer_gid: { in: slice.map(({ gid }) => gid) } },
      });
      await updateSystemTags(
        ctx,
        tenant,
        sql,
        people.map(({ id }) => id),
        { announce: "flow_only" },
      );
    }),
  );
}

async function signUpFirst(demo: Demo, customers: readonly DemoCustomer[]): Promise<void> {
  const { ctx, tenant } = demo;
  const quick = {
    ...tenant,
    config: { ...tenant.config, password_iterations: QUICK_ITERATIONS },
  };
  const { prisma } = dataOf(ctx, tenant);
  const known = await prisma.storefrontUser.findMany({
    select: { email: true },
    where: { email: { in: customers.map(({ email }) => email) } },
  });
  const taken = new Set(known.map(({ email }) => email));
  const signedUp = customers.filter(({ origin }) => origin === "signup");
  for (const customer of signedUp.filter(({ email }) => !taken.has(email))) {
    await signUp(
      inHistory(ctx, customer.joinedAt),
      quick,
      {
        email: customer.email,
        password: ctx.random.bytes(24).toString("base64url"),
        first_name: customer.firstName,
        last_name: customer.lastName,
        language_pref: customer.language,
        consent_tos: true,
        consent_privacy: true,
        consent_marketing: customer.isSubscribed || customer.unsubscribedAt !== null,
        consent_cookie: true,
      },
      { userAgent: customer.userAgent, gpc: false, at: timeOf(demo, customer.joinedAt) },
    ).catch((error: unknown) => {
      // Another sign-up took the address in the meantime.
      if (!isAppError(error)) throw error;
    });
  }
  // Everybody followed the mailed link; until then the store's customer would be another row. Also
  // whose sign-up is from a run that was killed here.
  await prisma.storefrontUser.updateMany({
    where: { email: { in: signedUp.map(({ email }) => email) } },
    data: { email_verified: true },
  });
}

/**
 * Gives the store the tags of the rules, as their first delivery does. The rules look at every customer
 * once more: what was written in the past had the rules of its day. Safe to repeat.
 */
export async function writeStoreTags(demo: Demo): Promise<void> {
  const { ctx, tenant, customers, storefront } = demo;
  const userIds = [...(await findUserIds(demo)).values()];
  const rows = await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (sql) => {
      await updateSystemTags(ctx, tenant, sql, userIds, { announce: "flow_only" });
      return rememberStoreTags(
        sql,
        customers.map(({ gid }) => gid),
      );
    }),
  );
  const tagsOf = new Map(rows.map(({ gid, tags }) => [gid, tags]));
  for (const customer of customers)
    storefront.putCustomer(tenant.shop, {
      ...toStoreCustomer(customer),
      tags: tagsOf.get(customer.gid) ?? [],
    });
}

/** The scheduled sync goes on from here, if the store has no customers but these. */
async function noteImport({ ctx, tenant, storefront, customers, calendar }: Demo): Promise<void> {
  const state = await readSyncState(ctx, tenant);
  if (state.watermark !== null || storefront.customers(tenant.shop).length > customers.length)
    return;
  const at = calendar.end.toISOString();
  await saveSyncState(dataOf(ctx, tenant).sql, { ...state, watermark: at, synced_at: at });
}
