// Webhooks about the store and its installation of the app.
import { z } from "zod";
import { keepPrimaryHost, toHost } from "../../tenants/storefront/primary-domain.ts";
import { changeTenantRecord } from "../../tenants/tenant-record.ts";
import { changedAt, type Handled, type Webhook } from "./webhook.ts";

/**
 * The token is already revoked, so no call is made; a webhook that arrives after a new installation
 * is ignored.
 */
export async function onUninstalled(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant } = webhook;
  const at = changedAt(webhook);
  if (tenant.connection.installed_at && new Date(tenant.connection.installed_at) > at)
    return "stale";
  await changeTenantRecord(ctx, tenant.shop, {
    remove: ["storefront_admin_token", "storefront_refresh_token", "storefront_token_expires_at"],
    connection: {
      token_generation: (tenant.connection.token_generation ?? 0) + 1,
      token_state: null,
      previous_refresh_token: null,
      loader_metafield: null,
      uninstalled_at: at.toISOString(),
      last_uninstalled_at: at.toISOString(),
    },
    ifGeneration: tenant.connection.token_generation ?? 0,
  });
  ctx.log.info("install.removed", { shop: tenant.shop });
  return "done";
}

export async function onScopesUpdated({ ctx, tenant, payload }: Webhook): Promise<Handled> {
  const parsed = z
    .looseObject({ current: z.array(z.string().max(100)).max(200) })
    .safeParse(payload);
  if (!parsed.success) return "ignored";
  await changeTenantRecord(ctx, tenant.shop, {
    connection: { granted_scopes: parsed.data.current },
  });
  return "done";
}

/** The REST shop: `domain` is the host of the primary domain. */
export async function onShopUpdated(webhook: Webhook): Promise<Handled> {
  const parsed = z.looseObject({ domain: z.string() }).safeParse(webhook.payload);
  const host = parsed.success ? toHost(parsed.data.domain) : null;
  if (host === null) return "ignored";
  const { ctx, tenant } = webhook;
  const isChanged = await keepPrimaryHost(ctx, tenant, host, changedAt(webhook));
  return isChanged ? "done" : "ignored";
}
