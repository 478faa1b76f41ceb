// The app library's session storage. The token is stored in the tenant record only: loading a session
// refreshes it there, and storing a grant writes it there (DECISIONS 9).
import { Session } from "@shopify/shopify-api";
import type { SessionStorage } from "@shopify/shopify-app-session-storage";
import type { Ctx } from "../../../context.server.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { isConnected } from "../store-access.ts";
import {
  ensureStorefrontToken,
  findFreshToken,
  isRefusedToken,
  storeGrant,
  type StorefrontToken,
} from "./access-token.ts";
import { requestLoaderMetafield } from "./loader-worker.ts";
import { requestWebPixel } from "./web-pixel/web-pixel-worker.ts";
import { registrationRequests } from "./webhook-registration.ts";
import { SHOP_PATTERN } from "../tenant-config.ts";
import { ACCESS_TOKEN_FIELDS, changeTenantRecord, registerTenant } from "../tenant-record.ts";
import { findTenant, type Tenant } from "../tenant.ts";

const OFFLINE_PREFIX = "offline_";

export const toSessionId = (shop: string) => `${OFFLINE_PREFIX}${shop}`;

/** Only offline sessions exist; the id names the shop. */
function shopOf(id: string): string | null {
  const shop = id.startsWith(OFFLINE_PREFIX) ? id.slice(OFFLINE_PREFIX.length) : "";
  return SHOP_PATTERN.test(shop) ? shop : null;
}

/** `lookUp`: how the store of a session is read. */
export function createSessionStorage(ctx: Ctx, lookUp: LookUp = findTenant): SessionStorage {
  const storage: SessionStorage = {
    /**
     * Returns the session without its refresh token and expiry: freshness is decided here, so the
     * library neither refreshes nor replaces a pair that another process is refreshing. Undefined
     * makes it exchange its session token.
     */
    async loadSession(id) {
      const shop = shopOf(id);
      const token = shop && (await findUsableToken(ctx, shop, lookUp));
      if (!shop || !token) return undefined;
      return new Session({
        id,
        shop,
        state: "",
        isOnline: false,
        accessToken: token.accessToken,
        ...(token.scopes && { scope: token.scopes.join(",") }),
      });
    },

    async storeSession(session) {
      const shop = shopOf(session.id);
      // A session without an access token means that the library's call was rejected; our own calls
      // detect that and refresh.
      if (!shop || session.shop !== shop || session.isOnline || !session.accessToken) return false;
      const before = await findTenant(ctx, shop);
      const wasConnected = before !== null && isConnected(before);
      if (wasConnected && !session.refreshToken && before.config.storefront_refresh_token)
        return false;
      await registerTenant(ctx, shop);
      await storeGrant(ctx, shop, toGrant(session, session.accessToken));
      if (!wasConnected) await registrationRequests.add(ctx, shop);
      await requestLoaderMetafield(ctx, shop);
      await requestWebPixel(ctx, shop);
      return true;
    },

    async deleteSession(id) {
      const shop = shopOf(id);
      const tenant = shop ? await findTenant(ctx, shop) : null;
      if (!tenant) return false;
      return changeTenantRecord(ctx, tenant.shop, {
        remove: ACCESS_TOKEN_FIELDS,
        // The next generation, so that a running refresh does not restore the token.
        connection: {
          token_generation: (tenant.connection.token_generation ?? 0) + 1,
          token_state: null,
          previous_refresh_token: null,
        },
      });
    },

    async deleteSessions(ids) {
      return (await Promise.all(ids.map((id) => storage.deleteSession(id)))).every(Boolean);
    },

    async findSessionsByShop(shop) {
      const session = await storage.loadSession(toSessionId(shop));
      return session ? [session] : [];
    },
  };
  return storage;
}

type LookUp = (ctx: Ctx, shop: string) => Promise<Tenant | null>;
type UsableToken = Pick<StorefrontToken, "accessToken" | "scopes">;

async function findUsableToken(
  ctx: Ctx,
  shop: string,
  lookUp: LookUp,
): Promise<UsableToken | null> {
  try {
    const known = await lookUp(ctx, shop);
    if (known && isRefusedToken(known)) return null;
    return (known && findFreshToken(ctx, known)) ?? (await ensureStorefrontToken(ctx, shop));
  } catch (error) {
    if (isAppError(error) && (error.code === "not_installed" || error.code === "unknown_tenant"))
      return null;
    if (!(error instanceof OutboundError)) throw error;
    // The platform did not answer: the stored token may still work for some minutes.
    const tenant = await findTenant(ctx, shop);
    const { storefront_admin_token: accessToken, storefront_token_expires_at: expiresAt } =
      tenant?.config ?? {};
    const isAlive = expiresAt !== undefined && new Date(expiresAt) > ctx.clock.now();
    return isAlive && accessToken
      ? { accessToken, scopes: tenant?.connection.granted_scopes }
      : null;
  }
}

function toGrant(session: Session, accessToken: string) {
  const { refreshToken, expires } = session;
  // The library computed `expires` with the system's clock, so the lifetime is computed with the
  // same clock.
  const expiresIn =
    refreshToken && expires
      ? Math.max(0, Math.round((expires.getTime() - Date.now()) / 1_000))
      : null;
  return {
    accessToken,
    refreshToken: expiresIn === null ? null : (refreshToken ?? null),
    expiresIn,
    ...(session.scope !== undefined && { scopes: session.scope.split(",").filter(Boolean) }),
  };
}
