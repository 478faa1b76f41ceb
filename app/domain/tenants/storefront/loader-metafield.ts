// The values of the loader, the footer with its banner, and the addresses that wait for consent, in metafields of the app's
// own installation: the theme writes them into its pages, so that a page view needs no call to the service for them (shopify.dev
// "App-data metafields"). Only the app can write it, and it needs no scope.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { APP_INSTALLATION_ID, METAFIELDS_SET } from "../../../integrations/storefront/documents.ts";
import { withLease } from "../../../runtime/database/queue/lease.ts";
import { findPublishedBanner, nameNewestBanner } from "../banner/published-banner.ts";
import { isConnected } from "../store-access.ts";
import { getTenant, type Tenant } from "../tenant.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { callAdminApi, requireNoUserErrors, type UserError } from "./admin-api.ts";
import { toBlockerValues } from "./blocker-values.ts";
import { toLoaderValues } from "./loader-values.ts";

/** `app.metafields.crm.<key>` in extensions/consent-footer. */
const METAFIELD = { namespace: "crm", type: "json" } as const;

type Values = { loader: string; footer: string; held: string };
/** A store that never held anything back has no such metafield. */
const NOTHING_HELD = "false";

async function currentValues(ctx: Ctx, tenant: Tenant): Promise<Values> {
  const { shop, config } = tenant;
  const serviceUrl = new URL(ctx.baseUrl).origin;
  const loader = toLoaderValues({
    shop,
    serviceUrl,
    consentMode: config.consent_mode,
    measurementId: config.analytics_measurement_id ?? null,
    policyVersion: config.consent_policy_version ?? null,
    consentMonths: config.consent_lifetime_months,
    regions: config.consent_regions ?? null,
  });
  const published = await findPublishedBanner(ctx, tenant);
  const footer = ctx.renderThemeFooters(tenant, published, serviceUrl);
  return {
    loader: JSON.stringify(loader),
    footer: JSON.stringify(footer),
    held: JSON.stringify(toBlockerValues(config)),
  };
}

/** The values that differ from what was last written. */
async function outdatedValues(ctx: Ctx, tenant: Tenant): Promise<Partial<Values>> {
  const { loader, footer, held } = await currentValues(ctx, tenant);
  const {
    loader_metafield: writtenLoader,
    footer_metafield: writtenFooter,
    held_metafield: writtenHeld = hash("sha256", NOTHING_HELD),
  } = tenant.connection;
  return {
    ...(writtenLoader !== loader && { loader }),
    ...(writtenFooter !== hash("sha256", footer) && { footer }),
    ...(writtenHeld !== hash("sha256", held) && { held }),
  };
}

/** Never for a store that is not connected. */
export const isLoaderOutdated = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  isConnected(tenant) && Object.keys(await outdatedValues(ctx, tenant)).length > 0;

/**
 * Writes the metafields whose value differs from what was last written; otherwise makes no call. `busy`:
 * another process writes it. Throws when the platform does not answer, or rejects the value.
 */
export async function writeLoaderMetafield(
  ctx: Ctx,
  shop: string,
): Promise<"written" | "unchanged" | "busy"> {
  await nameNewestBanner(ctx, shop);
  if (!(await isLoaderOutdated(ctx, await getTenant(ctx, shop)))) return "unchanged";
  // One writer at a time: of two values the older could arrive last.
  const leased = await withLease(ctx.home.forTenant(shop).sql, "loader_metafield", () =>
    writeUntilCurrent(ctx, shop),
  );
  return leased?.result ?? "busy";
}

/** Writes again as long as the settings or the installation changed during the call. */
async function writeUntilCurrent(ctx: Ctx, shop: string): Promise<"written" | "unchanged"> {
  for (let isWritten = false; ; isWritten = true) {
    const tenant = await getTenant(ctx, shop);
    if (!isConnected(tenant)) return isWritten ? "written" : "unchanged";
    const values = await outdatedValues(ctx, tenant);
    if (Object.keys(values).length === 0) return isWritten ? "written" : "unchanged";
    await setMetafields(ctx, shop, values);
    // Not when the app was installed again meanwhile: the metafield ended with the old installation.
    await changeTenantRecord(ctx, shop, {
      connection: {
        ...(values.loader && { loader_metafield: values.loader }),
        ...(values.footer && { footer_metafield: hash("sha256", values.footer) }),
        ...(values.held && { held_metafield: hash("sha256", values.held) }),
      },
      ifGeneration: tenant.connection.token_generation ?? 0,
    });
    ctx.log.info("loader_metafield.written", { shop, keys: Object.keys(values) });
  }
}

async function setMetafields(ctx: Ctx, shop: string, values: Partial<Values>): Promise<void> {
  const { currentAppInstallation } = await callAdminApi<{
    currentAppInstallation: { id: string };
  }>(ctx, shop, { document: APP_INSTALLATION_ID });
  const { metafieldsSet } = await callAdminApi<{ metafieldsSet: { userErrors: UserError[] } }>(
    ctx,
    shop,
    {
      document: METAFIELDS_SET,
      variables: {
        metafields: Object.entries(values).map(([key, value]) => ({
          ...METAFIELD,
          key,
          ownerId: currentAppInstallation.id,
          value,
        })),
      },
    },
  );
  requireNoUserErrors("metafieldsSet", metafieldsSet.userErrors);
}
