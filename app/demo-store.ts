// The sandbox's demo store: installs the app over HTTP as a merchant does, then configures its
// systems. Safe to repeat at every start.
import { hash } from "node:crypto";
import { request } from "undici";
import type { Ctx } from "./context.server.ts";
import { DEMO_TAG_RULES } from "./demo/people.ts";
import { saveFirmware } from "./domain/events/firmware.ts";
import { saveMapping } from "./domain/events/mappings.ts";
import { saveUpcMappings } from "./domain/events/upc-mappings.ts";
import { writeWhileMoving } from "./domain/tenants/moves/write-while-moving.ts";
import { isConnected } from "./domain/tenants/store-access.ts";
import { saveTenantConfig } from "./domain/tenants/settings/configuration.ts";
import { callAdminApi } from "./domain/tenants/storefront/admin-api.ts";
import { dataOf, findTenant, getTenant } from "./domain/tenants/tenant.ts";
import { tryToRegisterWebhooks } from "./domain/tenants/storefront/install.ts";
import { SHOP } from "./integrations/storefront/documents.ts";
import { findKey, putKey } from "./runtime/database/kv.ts";
import { KEYS } from "./runtime/database/kv-keys.ts";

export const DEMO_SHOP = "demo-store.myshopify.com";

type DemoSystems = {
  storeOrigin: string;
  profilePlatformUrl: string;
  erpBaseUrl: string;
  retailAnalyticsAUrl: string;
  retailAnalyticsBUrl: string;
  customersCollectionId: string;
  tagsCollectionId: string;
  siteId: string;
  federatedClient: { id: string; secret: string };
};

/** A move whose worker was killed refuses writes until this process takes it over. */
const MOVE_PATIENCE_MS = 30_000;

/**
 * Configures the store. Later starts renew what is still as the last start saved it, since addresses and
 * ports change, and keep what was saved since.
 */
export async function prepareDemoStore(ctx: Ctx, systems: DemoSystems): Promise<void> {
  if (!(await isInstalled(ctx))) await walkInstall(ctx.baseUrl);
  const tenant = await getTenant(ctx, DEMO_SHOP);
  const written =
    (await findKey<Record<string, string>>(dataOf(ctx, tenant).sql, KEYS.demoSettings))?.value ??
    null;
  const saved = await savedDigests(ctx);
  const fields = Object.entries(fieldsOf(ctx, systems)).filter(
    ([name]) => written === null || saved[name] === written[name],
  );
  await saveTenantConfig(ctx, DEMO_SHOP, Object.fromEntries(fields), { by: "operator" });
  const now = await savedDigests(ctx);
  const digests = fields.flatMap(([name]) => (now[name] ? [[name, now[name]]] : []));
  await writeWhileMoving(
    ctx,
    tenant,
    (at) =>
      putKey(dataOf(ctx, at).sql, KEYS.demoSettings, {
        ...written,
        ...Object.fromEntries(digests),
      }),
    MOVE_PATIENCE_MS,
  );
  if (written === null) await fillRegistries(ctx);
  // The address of this service may have changed since the last start.
  await tryToRegisterWebhooks(ctx, DEMO_SHOP);
}

async function savedDigests(ctx: Ctx): Promise<Record<string, string>> {
  const { saved } = await getTenant(ctx, DEMO_SHOP);
  return Object.fromEntries(
    Object.entries(saved).map(([name, value]) => [name, hash("sha256", JSON.stringify(value))]),
  );
}

const fieldsOf = (ctx: Ctx, systems: DemoSystems) => ({
  storefront_api_token: "sandbox-storefront-token",
  cms_api_token: "sandbox-cms-token",
  cms_site_id: systems.siteId,
  cms_customers_collection_id: systems.customersCollectionId,
  cms_tags_collection_id: systems.tagsCollectionId,
  analytics_measurement_id: "G-SANDBOX1",
  analytics_api_secret: "sandbox-analytics-secret",
  profile_platform_enabled: true,
  profile_platform_url: systems.profilePlatformUrl,
  profile_platform_token: "sandbox-profile-token",
  erp_base_url: systems.erpBaseUrl,
  erp_username: "sandbox-erp-user",
  erp_password: "sandbox-erp-password",
  erp_defaults: { bukrs: "1000", vkorg: "1010", vtweg: "10" },
  retail_analytics_a_url: systems.retailAnalyticsAUrl,
  retail_analytics_b_url: systems.retailAnalyticsBUrl,
  retail_analytics_b_token: "sandbox-retail-token",
  brand_name: "Demo Store",
  tag_rules: DEMO_TAG_RULES,
  // The origin of the sandbox store's own pages.
  allowed_origins: [systems.storeOrigin],
  consent_policy_version: "2026-11",
  auth_redirect_origin: ctx.baseUrl,
  // UCP clients identify a store by its host alone.
  public_hosts: [`localhost:${new URL(ctx.baseUrl).port}`],
  federated_client_id: systems.federatedClient.id,
  federated_client_secret: systems.federatedClient.secret,
  // Earlier versions of the demo store had a client of its own; the app is the client.
  storefront_customer_account_client_id: null,
});

/** One product that every channel can reference. */
async function fillRegistries(ctx: Ctx): Promise<void> {
  const tenant = await getTenant(ctx, DEMO_SHOP);
  const data = dataOf(ctx, tenant);
  await saveUpcMappings(data.sql, [{ sku: "CAM-9", upc: "012345678905" }]);
  await saveFirmware(data, "CAM-9", { version: "1.4.2", sha256: "0".repeat(64) });
  await saveMapping(ctx, tenant, "erp_generic", "order", {
    fields: {
      number: "name",
      total: "total_price",
      currency: "currency",
      at: "timestamp",
      "lines[].material": "line_items[].sku",
      "lines[].quantity": "line_items[].quantity",
    },
    required: ["number"],
  });
}

async function isInstalled(ctx: Ctx): Promise<boolean> {
  const tenant = await findTenant(ctx, DEMO_SHOP);
  if (!tenant || !isConnected(tenant)) return false;
  try {
    await callAdminApi(ctx, DEMO_SHOP, { document: SHOP });
    return true;
  } catch {
    // The sandbox's state file was removed, so it does not know the store: install again.
    return false;
  }
}

/** Follows /auth/install -> the store's grant screen -> /auth/callback -> the app. */
async function walkInstall(baseUrl: string): Promise<void> {
  const begun = await request(`${baseUrl}/auth/install?shop=${DEMO_SHOP}`);
  const cookie = String(begun.headers["set-cookie"]).split(";", 1)[0] as string;
  const question = new URL(String(begun.headers.location));
  question.searchParams.set("auto", "1");
  const answered = await request(question);
  const callback = String(answered.headers.location);
  const completed = await request(callback, { headers: { cookie } });
  for (const { body } of [begun, answered, completed]) await body.dump();
  if (completed.statusCode !== 302)
    throw new Error(
      `the demo store could not be installed: the callback answered ${completed.statusCode}`,
    );
}
