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
  const admins = [...(ctx.config.ADMIN_EMAILS ?? [])];
  const hasDeputies = mail === "alert_emails" && admins.length > 0;
  const own = await findOwn(ctx, tenant, mail).catch((error: unknown) => {
    // An alert goes to the operators at once; a person's data belongs to the store, which a later attempt finds.
    if (hasDeputies) return null;
    throw error;
  });
  return own ?? { addresses: admins, found: admins.length > 0 ? "admin_emails" : "nobody" };
}

/** Null when neither the store nor the storefront names an address. Throws when the storefront may still do so. */
async function findOwn(
  ctx: Ctx,
  tenant: Tenant,
  mail: MerchantMail,
): Promise<{ addresses: string[]; found: Found } | null> {
  const { [mail]: own = [], support_email: support } = tenant.config;
  if (own.length > 0) return { addresses: own, found: mail };
  if (support) return { addresses: [support], found: "support_email" };
  try {
    const email = isConnected(tenant) ? await readStoreEmail(ctx, tenant) : null;
    return email ? { addresses: [email], found: "store_email" } : null;
  } catch (error) {
    if (!isLasting(error, mail)) throw error;
    return null;
  }
}

/**
 * Whether the storefront will not say the address. An alert may be about the storefront itself, so
 * it does not wait for one that answers without the address.
 */
function isLasting(error: unknown, mail: MerchantMail): boolean {
  if (!(error instanceof OutboundError)) return isAppError(error);
  const isAnswered = error.kind === "graphql" && error.status !== 429;
  return !error.retryable || (mail === "alert_emails" && isAnswered);
}

/** Those that the store chose or has at the storefront, and never the operators of the service. Throws like `findOwn`. */
export async function findStoreRecipients(
  ctx: Ctx,
  tenant: Tenant,
  mail: MerchantMail,
): Promise<string[]> {
  return (await findOwn(ctx, tenant, mail))?.addresses ?? [];
}

async function readStoreEmail(ctx: Ctx, tenant: Tenant): Promise<string | null> {
  const { shop } = await callAdminApi<{ shop: { email?: string | null } | null }>(
    ctx,
    tenant.shop,
    {
      document: SHOP,
    },
  );
  return shop?.email ?? null;
}
