// Who receives the mails to the merchant, alerts and privacy requests alike: the recipients that the store
// chose for them, else its support address, else the store's own address, else the operators of the service.
import type { Ctx } from "../../context.server.ts";
import { SHOP } from "../../integrations/storefront/documents.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { isConnected } from "../tenants/store-access.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import type { Tenant } from "../tenants/tenant.ts";

type MerchantMail = "alert_emails" | "privacy_emails";
type Found = MerchantMail | "support_email" | "store_email" | "admin_emails" | "nobody";

/** Throws when there is no address yet and the storefront may still provide one. */
export async function findMerchantRecipients(
  ctx: Ctx,
  tenant: Tenant,
  mail: MerchantMail,
): Promise<{ addresses: string[]; found: Found }> {
  const { [mail]: own = [], support_email: support } = tenant.config;
  if (own.length > 0) return { addresses: own, found: mail };
  if (support) return { addresses: [support], found: "support_email" };
  const admins = [...(ctx.config.ADMIN_EMAILS ?? [])];
  try {
    const email = isConnected(tenant) ? await readStoreEmail(ctx, tenant) : null;
    if (email) return { addresses: [email], found: "store_email" };
  } catch (error) {
    const isLasting = isAppError(error) || (error instanceof OutboundError && !error.retryable);
    if (!isLasting && admins.length === 0) throw error;
  }
  return { addresses: admins, found: admins.length > 0 ? "admin_emails" : "nobody" };
}

/** Those that the store chose or has at the storefront, and never the operators of the service. */
export async function findStoreRecipients(
  ctx: Ctx,
  tenant: Tenant,
  mail: MerchantMail,
): Promise<string[]> {
  const { addresses, found } = await findMerchantRecipients(ctx, tenant, mail);
  return found === "admin_emails" ? [] : addresses;
}

async function readStoreEmail(ctx: Ctx, tenant: Tenant): Promise<string | null> {
  const { shop } = await callAdminApi<{ shop: { email: string | null } }>(ctx, tenant.shop, {
    document: SHOP,
  });
  return shop.email;
}
