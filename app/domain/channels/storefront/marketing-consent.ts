// Writes marketing decisions back to the store: email, SMS, and objections to the sale of data (DECISIONS 18).
//   - A choice in a cookie banner is about tracking: it subscribes and unsubscribes nobody. Withdrawing on the privacy page
//     unsubscribes, and agreeing there subscribes nobody (decidesSubscription).
//   - The newer decision wins, so an old row or a retry cannot undo a later decision at the store.
//   - Nothing is written when the store already has this state.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, ConsentRecord } from "../../../db.server.ts";
import {
  CUSTOMER,
  DATA_SALE_OPT_OUT,
  EMAIL_MARKETING_CONSENT_UPDATE,
  SMS_MARKETING_CONSENT_UPDATE,
} from "../../../integrations/storefront/documents.ts";
import { PRIVACY_PAGE, SALE_OPT_OUT, TRACKING_METHODS } from "../../consent/consent-types.ts";
import { normaliseEmail } from "../../customers/customer-change.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { updateSystemTags } from "../../tags/system-tags.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

type Decision = Columns<ConsentRecord, "action" | "method" | "gpc" | "created_at">;
type Marketing = { marketingState: string; marketingUpdatedAt: string | null } | null;
/** The customer as the store has them. */
type CustomerThere = {
  dataSaleOptOut?: boolean;
  defaultEmailAddress?: (Marketing & { emailAddress: string }) | null;
  defaultPhoneNumber?: Marketing;
};
type Answer = { customer: CustomerThere | null };

// Read by the index on (shop, user_id); a person has few rows. Plain SQL: the newest row of each kind. A withdrawal on the
// privacy page is of both kinds; the first condition is decidesSubscription.
const DECISIONS = `
  WITH decisions AS (
    SELECT action, method, gpc, created_at, seq FROM consent_records
    WHERE shop = $1 AND user_id = $2 AND consent_type = 'marketing'
  )
  (SELECT true AS is_own, action, method, gpc, created_at FROM decisions
    WHERE method <> ALL($3) OR (method = '${PRIVACY_PAGE}' AND action = 'revoked' AND NOT gpc)
    ORDER BY seq DESC LIMIT 1)
  UNION ALL
  (SELECT false, action, method, gpc, created_at FROM decisions
    WHERE method = ANY($3) ORDER BY seq DESC LIMIT 1)`;

const ON = new Set(["subscribed", "pending"]);
const isOn = (status: string | null | undefined) => ON.has(status?.toLowerCase() ?? "");

export type MarketingWrite = {
  customer: CustomerSnapshot;
  /** The customer at the store. */
  gid: string;
  hasNewDecision: boolean;
};

const isGrant = ({ action }: Decision): boolean => action === "granted";

/**
 * `hasNewDecision`: the row is about a consent; only then the sale of data is looked at. Returns whether
 * anything was written. An account that has not proven its address decides nothing at the store.
 */
export async function writeMarketingConsent(
  ctx: Ctx,
  tenant: Tenant,
  { customer, gid, hasNewDecision }: MarketingWrite,
): Promise<boolean> {
  if (customer.is_unproven) return false;
  const { own, tracking } = await readDecisions(ctx, tenant, customer.id);
  const decision = own && isDifferent(own, customer) ? own : null;
  const isObjection = hasNewDecision && isSaleObjection(tracking);
  if (!decision && !isObjection) return false;

  const { customer: there } = await callAdminApi<Answer>(ctx, tenant.shop, {
    document: CUSTOMER,
    variables: { id: gid },
  });
  if (!there) return false;
  const changes = decision ? toChanges(decision, customer, gid, there) : [];
  for (const change of changes) await changeSubscription(ctx, tenant, change);
  const hasObjected = isObjection && (await objectToSale(ctx, tenant, there));
  return changes.length > 0 || hasObjected;
}

/** The newest decision about subscriptions, and the newest about tracking. */
async function readDecisions(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<{ own: Decision | undefined; tracking: Decision | undefined }> {
  const rows = await dataOf(ctx, tenant).sql<Decision & { is_own: boolean }>(DECISIONS, [
    userId,
    [...TRACKING_METHODS],
  ]);
  return { own: rows.find((row) => row.is_own), tracking: rows.find((row) => !row.is_own) };
}

/** Compares the decision with our copy of the subscriptions. */
function isDifferent(decision: Decision, customer: CustomerSnapshot): boolean {
  const isGranted = isGrant(decision);
  return (
    isOn(customer.email_subscription_status) !== isGranted ||
    (!isGranted && isOn(customer.sms_subscription_status))
  );
}

const isSaleObjection = (tracking: Decision | undefined): boolean =>
  tracking?.action === "revoked" && (tracking.method === SALE_OPT_OUT || tracking.gpc);

/** Where the decision differs from the store's and is newer. */
function toChanges(
  decision: Decision,
  { id: userId, email: address }: CustomerSnapshot,
  gid: string,
  { defaultEmailAddress: email, defaultPhoneNumber: phone }: CustomerThere,
): SubscriptionChange[] {
  const isGranted = isGrant(decision);
  const change = { userId, gid, isGranted, decidedAt: decision.created_at };
  const isForAddress = !isGranted || isSameAddress(address, email?.emailAddress);
  return [
    ...(isForAddress && isNewer(decision, email) ? [{ ...change, kind: "email" as const }] : []),
    // A subscription by SMS needs a consent of its own, which nothing here asks for.
    ...(!isGranted && isNewer(decision, phone) ? [{ ...change, kind: "sms" as const }] : []),
  ];
}

/** False when the customer has objected already, or has no address to object with. */
async function objectToSale(
  ctx: Ctx,
  tenant: Tenant,
  { defaultEmailAddress: email, dataSaleOptOut: hasObjected }: CustomerThere,
): Promise<boolean> {
  if (!email?.emailAddress || hasObjected !== false) return false;
  const { dataSaleOptOut } = await callAdminApi<{
    dataSaleOptOut: { userErrors: UserError[] };
  }>(ctx, tenant.shop, {
    document: DATA_SALE_OPT_OUT,
    variables: { email: email.emailAddress },
  });
  requireNoUserErrors("dataSaleOptOut", dataSaleOptOut.userErrors);
  return true;
}

/** Whether our decision differs from the store's and is newer. */
function isNewer(own: Decision, there: Marketing | undefined): boolean {
  if (!there || isOn(there.marketingState) === isGrant(own)) return false;
  if (!["SUBSCRIBED", "UNSUBSCRIBED", "PENDING", "NOT_SUBSCRIBED"].includes(there.marketingState))
    return false;
  return !there.marketingUpdatedAt || new Date(there.marketingUpdatedAt) < own.created_at;
}

/** A grant is for the address here; the store may have given the customer another one since. */
const isSameAddress = (here: string | null, there: string | undefined): boolean =>
  !here || !there || normaliseEmail(here) === normaliseEmail(there);

type SubscriptionChange = {
  userId: number;
  gid: string;
  kind: "email" | "sms";
  isGranted: boolean;
  decidedAt: Date;
};

/** At the store first: our copy says what the store has. */
async function changeSubscription(
  ctx: Ctx,
  tenant: Tenant,
  change: SubscriptionChange,
): Promise<void> {
  await writeSubscription(ctx, tenant, change);
  await storeSubscription(ctx, tenant, change);
}

async function writeSubscription(
  ctx: Ctx,
  tenant: Tenant,
  { gid: customerId, kind, isGranted, decidedAt }: SubscriptionChange,
): Promise<void> {
  const consent = {
    marketingState: isGranted ? "SUBSCRIBED" : "UNSUBSCRIBED",
    marketingOptInLevel: "SINGLE_OPT_IN",
    consentUpdatedAt: decidedAt.toISOString(),
  };
  const answer = await callAdminApi<Record<string, { userErrors: UserError[] }>>(
    ctx,
    tenant.shop,
    kind === "email"
      ? {
          document: EMAIL_MARKETING_CONSENT_UPDATE,
          variables: { input: { customerId, emailMarketingConsent: consent } },
        }
      : {
          document: SMS_MARKETING_CONSENT_UPDATE,
          variables: { input: { customerId, smsMarketingConsent: consent } },
        },
  );
  for (const [mutation, payload] of Object.entries(answer))
    requireNoUserErrors(mutation, payload.userErrors);
}

/**
 * Updates our copy of the subscription and the tags that follow from it, so that the webhook of this write
 * changes nothing. An account that was deleted meanwhile stays empty.
 */
async function storeSubscription(
  ctx: Ctx,
  tenant: Tenant,
  { userId, kind, isGranted }: SubscriptionChange,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    await prisma.storefrontUser.updateMany({
      where: { id: userId, status: { not: "deleted" } },
      data: { [`${kind}_subscription_status`]: isGranted ? "subscribed" : "unsubscribed" },
    });
    await updateSystemTags(ctx, tenant, sql, [userId], { announce: "every_system" });
  });
}
