// The loader's values in a metafield of the app's own installation: the theme writes them into its pages, so
// that a page view needs no call to the service for them (shopify.dev "App-data metafields"). Only the app
// can write it, and it needs no scope.
import type { Ctx } from "../../../context.server.ts";
import { APP_INSTALLATION_ID, METAFIELDS_SET } from "../../../integrations/storefront-documents.ts";
import { withLease } from "../../../runtime/database/lease.ts";
import { tokenState } from "../directory.ts";
import { getTenant, type Tenant } from "../tenant.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { callStorefront, requireNoUserErrors, type UserError } from "./admin-session.ts";
import { toLoaderValues } from "./loader-values.ts";

/** `app.metafields.crm.loader` in extensions/consent-footer. */
const METAFIELD = { namespace: "crm", key: "loader", type: "json" } as const;

const currentValue = (ctx: Ctx, { shop, config }: Tenant): string =>
  JSON.stringify(
    toLoaderValues({
      shop,
      serviceUrl: new URL(ctx.baseUrl).origin,
      consentMode: config.consent_mode,
      measurementId: config.analytics_measurement_id ?? null,
      policyVersion: config.consent_policy_version ?? null,
      regions: config.consent_regions ?? null,
    }),
  );

/** Never for a store that is not connected. */
export const isLoaderOutdated = (ctx: Ctx, tenant: Tenant): boolean =>
  tokenState(tenant) === "valid" &&
  tenant.connection.loader_metafield !== currentValue(ctx, tenant);

/**
 * Writes the metafield when its value differs from what was last written; otherwise makes no call. `busy`:
 * another process writes it. Throws when the platform does not answer, or rejects the value.
 */
export async function writeLoaderMetafield(
  ctx: Ctx,
  shop: string,
): Promise<"written" | "unchanged" | "busy"> {
  if (!isLoaderOutdated(ctx, await getTenant(ctx, shop))) return "unchanged";
  // One writer at a time: of two values the older could arrive last.
  const held = await withLease(
    ctx.home.forTenant(shop).sql,
    "loader_metafield",
    ctx.random.uuid(),
    () => writeUntilCurrent(ctx, shop),
  );
  return held?.result ?? "busy";
}

/** Again while the settings or the installation changed during the call. */
async function writeUntilCurrent(ctx: Ctx, shop: string): Promise<"written" | "unchanged"> {
  for (let isWritten = false; ; isWritten = true) {
    const tenant = await getTenant(ctx, shop);
    if (!isLoaderOutdated(ctx, tenant)) return isWritten ? "written" : "unchanged";
    const value = currentValue(ctx, tenant);
    await setMetafield(ctx, shop, value);
    // Not when the app was installed again meanwhile: the metafield ended with the old installation.
    await changeTenantRecord(ctx, shop, {
      connection: { loader_metafield: value },
      ifGeneration: tenant.connection.token_generation ?? 0,
    });
    ctx.log.info("loader_metafield.written", { shop });
  }
}

async function setMetafield(ctx: Ctx, shop: string, value: string): Promise<void> {
  const { currentAppInstallation } = await callStorefront<{
    currentAppInstallation: { id: string };
  }>(ctx, shop, { document: APP_INSTALLATION_ID });
  const { metafieldsSet } = await callStorefront<{ metafieldsSet: { userErrors: UserError[] } }>(
    ctx,
    shop,
    {
      document: METAFIELDS_SET,
      variables: { metafields: [{ ...METAFIELD, ownerId: currentAppInstallation.id, value }] },
    },
  );
  requireNoUserErrors("metafieldsSet", metafieldsSet.userErrors);
}
