// Webhooks about the store and its installation of the app.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { keepGrantedScopes } from "../../tenants/storefront/granted-scopes.ts";
import { keepPrimaryHost, toHost } from "../../tenants/storefront/primary-domain.ts";
import { requestWebPixel } from "../../tenants/storefront/web-pixel/web-pixel-worker.ts";
import { keepTimeZone } from "../../tenants/storefront/time-zone.ts";
import {
  ACCESS_TOKEN_FIELDS,
  FORGET_WRITTEN_VALUES,
  changeTenantRecord,
} from "../../tenants/tenant-record.ts";
import { findTenant, type Tenant } from "../../tenants/tenant.ts";
import { changedAt, DONE, ignored, type Handled, type Webhook } from "./webhook.ts";

const Identified = z.looseObject({ admin_graphql_api_id: z.string() });

/** The signature does not name the topic: such a body was sent for another one. */
function isOfOtherTopic(payload: unknown): boolean {
  const id = Identified.safeParse(payload).data?.admin_graphql_api_id;
  return id !== undefined && !id.startsWith("gid://shopify/Shop/");
}

/**
 * The token is already revoked, so no call is made; a webhook that arrives after a new installation
 * is ignored. A refresh of the token that ends meanwhile is seen, and its token goes too.
 */
export async function onUninstalled(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant } = webhook;
  if (isOfOtherTopic(webhook.payload)) return ignored("unreadable_payload");
  const at = changedAt(webhook);
  for (let current: Tenant | null = tenant; current; current = await findTenant(ctx, tenant.shop)) {
    if (isBeforeInstall(current, at)) return { outcome: "stale" };
    if (await removeInstall(ctx, current, at)) {
      ctx.log.info("install.removed", { shop: tenant.shop });
      return DONE;
    }
  }
  return ignored("unknown_store");
}

const isBeforeInstall = ({ connection }: Tenant, at: Date): boolean =>
  connection.installed_at !== undefined && new Date(connection.installed_at) > at;

/** False when another token was stored meanwhile. */
const removeInstall = (ctx: Ctx, { shop, connection }: Tenant, at: Date): Promise<boolean> =>
  changeTenantRecord(ctx, shop, {
    remove: ACCESS_TOKEN_FIELDS,
    connection: {
      token_generation: (connection.token_generation ?? 0) + 1,
      token_state: null,
      previous_refresh_token: null,
      ...FORGET_WRITTEN_VALUES,
      uninstalled_at: at.toISOString(),
      last_uninstalled_at: at.toISOString(),
    },
    ifGeneration: connection.token_generation ?? 0,
  });

/** Of two changes the one that was made last counts, in whatever order they arrive. */
export async function onScopesUpdated(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant } = webhook;
  const parsed = z
    .looseObject({ current: z.array(z.string().max(100)).max(200) })
    .safeParse(webhook.payload);
  if (!parsed.success) return ignored("unreadable_payload");
  if (!(await keepGrantedScopes(ctx, tenant.shop, parsed.data.current, changedAt(webhook))))
    return { outcome: "stale" };
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
  const isMoved =
    host !== null && (await keepPrimaryHost(ctx, tenant.shop, host, changedAt(webhook)));
  // A zone has no time of its own, so an old delivery may overwrite a newer zone: the scheduled run corrects that.
  const isShifted = await keepTimeZone(ctx, tenant, parsed.data.iana_timezone);
  return isMoved || isShifted ? DONE : ignored("unchanged");
}
