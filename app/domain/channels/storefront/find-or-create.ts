// The store's customer of an account: found by email, else created, and from then on found by the gid (DECISIONS 8).
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { CUSTOMER_BY_EMAIL, CUSTOMER_CREATE } from "../../../integrations/storefront/documents.ts";
import { gidOf } from "../../../integrations/storefront/payload-ids.ts";
import { readWhole } from "../../../integrations/storefront/read-whole.ts";
import { deleteKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { PermanentFailure } from "../../bus/channel.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { storefrontNameHash } from "../../customers/storefront-columns.ts";
import { yieldAddress } from "../../customers/unproven-account.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { GONE } from "../nothing-to-send.ts";

/**
 * Stores the gid before any write to the customer, so that another delivery finds it. `skipped` when
 * the address belongs to a customer and the account has not verified it: then the account gives up
 * the address. Also when the account is deleted meanwhile: its row stays empty.
 */
export async function findOrCreate(
  ctx: Ctx,
  tenant: Tenant,
  customer: CustomerSnapshot,
): Promise<{ gid: string } | { skipped: string }> {
  const { customerByIdentifier: found } = await callAdminApi<{
    customerByIdentifier?: { id?: unknown } | null;
  }>(ctx, tenant.shop, {
    document: CUSTOMER_BY_EMAIL,
    variables: { email: customer.email },
    isLookUp: true,
  });
  const foundId = found?.id ?? null;
  const known = foundId === null ? null : readGid(foundId);
  if (known !== null && (await yieldToCustomer(ctx, tenant, customer.id)))
    return { skipped: "a customer of the store has this address, and it is not proven" };
  const gid = known ?? (await create(ctx, tenant, customer));
  const [stored] = await dataOf(ctx, tenant).sql<{ is_stored: boolean; is_deleted: boolean }>(
    STORE_GID,
    [customer.id, gid],
  );
  if (!stored || stored.is_deleted) return GONE;
  if (!stored.is_stored)
    throw new PermanentFailure("the storefront's customer belongs to another account");
  return { gid };
}

const STORE_GID = `
  WITH account AS (
    SELECT status = 'deleted' AS is_deleted FROM storefront_users WHERE shop = $1 AND id = $2 FOR UPDATE
  ),
  stored AS (
    UPDATE storefront_users SET storefront_customer_gid = $3 WHERE shop = $1 AND id = $2
      AND NOT (SELECT is_deleted FROM account)
      AND (storefront_customer_gid IS NULL OR storefront_customer_gid = $3)
      AND NOT EXISTS (SELECT 1 FROM storefront_users other WHERE other.shop = $1
        AND other.storefront_customer_gid = $3 AND other.id <> $2) RETURNING id
  )
  SELECT is_deleted, EXISTS (SELECT 1 FROM stored) AS is_stored FROM account`;

/** Under the row's lock: the address may be verified or given up concurrently. */
function yieldToCustomer(ctx: Ctx, tenant: Tenant, userId: number): Promise<boolean> {
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const [account] = await sql<
      Columns<StorefrontUser, "email_verified"> & { has_way_in: boolean }
    >(
      `SELECT email_verified, (password_hash <> '' OR federated_sub IS NOT NULL) AS has_way_in
       FROM storefront_users WHERE shop = $1 AND id = $2 FOR UPDATE`,
      [userId],
    );
    if (!account || account.email_verified || !account.has_way_in) return false;
    await yieldAddress(ctx, tenant, sql, userId);
    return true;
  });
}

/**
 * While the echo is expected, the store's customer of this address is taken for the account's own (`mustYieldAddress`):
 * so it is expected only once the store has none, and no longer when none was created.
 */
async function create(ctx: Ctx, tenant: Tenant, customer: CustomerSnapshot): Promise<string> {
  const { sql } = dataOf(ctx, tenant);
  const echo = KEYS.echo(customer.id);
  await putKey(sql, echo, true, TTL_SECONDS.echo);
  await sql(NOTE_NAMES, [customer.id, storefrontNameHash(ctx, tenant.shop, customer)]);
  try {
    return await createAtStorefront(ctx, tenant, customer);
  } catch (error) {
    // Without an answer the customer may have been created.
    const isRefused = error instanceof OutboundError && !error.retryable;
    if (isRefused || error instanceof PermanentFailure) await deleteKey(sql, echo);
    throw error;
  }
}

// Before the names are written there, because the webhook may be faster than the answer. If the store refuses the customer,
// one whom it has later under the same names changes none here.
const NOTE_NAMES = `
  UPDATE storefront_users SET storefront_name_hash = $3 WHERE shop = $1 AND id = $2 AND status <> 'deleted'`;

async function createAtStorefront(
  ctx: Ctx,
  tenant: Tenant,
  customer: CustomerSnapshot,
): Promise<string> {
  const input = {
    email: customer.email,
    ...(customer.first_name && { firstName: customer.first_name }),
    ...(customer.last_name && { lastName: customer.last_name }),
  };
  type Created = { customer?: { id: unknown } | null; userErrors?: UserError[] };
  const { customerCreate: created } = await callAdminApi<{ customerCreate?: Created | null }>(
    ctx,
    tenant.shop,
    { document: CUSTOMER_CREATE, variables: { input } },
  );
  requireNoUserErrors("customerCreate", created?.userErrors);
  if (!created?.customer) throw new PermanentFailure("customerCreate answered no customer");
  return readGid(created.customer.id);
}

/** Webhooks name the customer by gid: under another id they would not find the account. */
const readGid = (id: unknown): string =>
  readWhole("a customer", () => {
    const gid = typeof id === "string" && id.startsWith("gid://") ? id : gidOf("Customer", id);
    if (gid === null) throw new Error("no id");
    return gid;
  });
