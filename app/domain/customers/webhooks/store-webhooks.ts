// Webhooks about the store and its installation of the app.
import { z } from "zod";
import { keepPrimaryHost, toHost } from "../../tenants/storefront/primary-domain.ts";
import { requestWebPixel } from "../../tenants/storefront/web-pixel-worker.ts";
import { keepTimeZone } from "../../tenants/storefront/time-zone.ts";
import { changeTenantRecord } from "../../tenants/tenant-record.ts";
import { changedAt, DONE, ignored, type Handled, type Webhook } from "./webhook.ts";

const Identified = z.looseObject({ admin_graphql_api_id: z.string() });

/** The signature does not name the topic: such a body was sent for another one. */
function isOfOtherTopic(payload: unknown): boolean {
  const id = Identified.safeParse(payload).data?.admin_graphql_api_id;
  return id !== undefined && !id.startsWith("gid://shopify/Shop/");
}

/**
 * The token is already revoked, so no call is made; a webhook that arrives after a new installation
 * is ignored.
 */
export async function onUninstalled(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant } = webhook;
  if (isOfOtherTopic(webhook.payload)) return ignored("unreadable_payload");
  const at = changedAt(webhook);
  if (tenant.connection.installed_at && new Date(tenant.connection.installed_at) > at)
    return { outcome: "stale" };
  await changeTenantRecord(ctx, tenant.shop, {
    remove: ["storefront_admin_token", "storefront_refresh_token", "storefront_token_expires_at"],
    connection: {
      token_generation: (tenant.connection.token_generation ?? 0) + 1,
      token_state: null,
      previous_refresh_token: null,
      loader_metafield: null,
      footer_metafield: null,
      web_pixel: null,
      uninstalled_at: at.toISOString(),
      last_uninstalled_at: at.toISOString(),
    },
    ifGeneration: tenant.connection.token_generation ?? 0,
  });
  ctx.log.info("install.removed", { shop: tenant.shop });
  return DONE;
}

export async function onScopesUpdated({ ctx, tenant, payload }: Webhook): Promise<Handled> {
  const parsed = z
    .looseObject({ current: z.array(z.string().max(100)).max(200) })
    .safeParse(payload);
  if (!parsed.success) return ignored("unreadable_payload");
  await changeTenantRecord(ctx, tenant.shop, {
    connection: { granted_scopes: parsed.data.current },
  });
  await requestWebPixel(ctx, tenant.shop);
  return DONE;
}

/**
 * The REST shop: `domain` is the host of the primary domain, `iana_timezone` the store's time zone. The signature covers neither the topic nor the
 * store in the headers, so the body names the store.
 */
export async function onShopUpdated(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant } = webhook;
  const parsed = z
    .looseObject({
      domain: z.string(),
      iana_timezone: z.unknown().optional(),
      myshopify_domain: z.literal(tenant.shop),
    })
    .safeParse(webhook.payload);
  if (!parsed.success) return ignored("unreadable_payload");
  const host = toHost(parsed.data.domain);
  const isMoved = host !== null && (await keepPrimaryHost(ctx, tenant, host, changedAt(webhook)));
  // Without a time of its own: the scheduled run corrects what an old delivery has set.
  const isShifted = await keepTimeZone(ctx, tenant, parsed.data.iana_timezone);
  return isMoved || isShifted ? DONE : ignored("unchanged");
}
