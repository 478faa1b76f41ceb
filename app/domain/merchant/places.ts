// The screen "Where it appears": each place with its state, as the platform or the last check says.
import type { Ctx } from "../../context.server.ts";
import { findKey, findKeys } from "../../runtime/database/kv.ts";
import { KEYS, type Key } from "../../runtime/database/kv-keys.ts";
import { FLOW_CHANNEL, isChannelEnabled } from "../bus/channel.ts";
import { PIXEL_ROUTE, PIXEL_SOURCE } from "../events/pixel-event.ts";
import { PLACES, type PlaceName } from "./place-list.ts";
import { isLoaderLate } from "../tenants/storefront/loader-worker.ts";
import { themeEditorPaths } from "../tenants/storefront/theme-links.ts";
import {
  readWebPixel,
  restoreWebPixel,
  rotatePixelKey,
  type WebPixelState,
} from "../tenants/storefront/web-pixel/web-pixel.ts";
import { isConnected } from "../tenants/store-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type PlaceState =
  "active" | "off" | "outdated" | "not_allowed" | "not_connected" | "not_deployed" | "unknown";

export type Place = {
  name: PlaceName;
  state: PlaceState;
  /** What the merchant would have to allow; empty when it is allowed, or when nothing is needed. */
  scopes: readonly string[];
  /** Where it is switched on, in the store admin. */
  openUrl: string;
  /** ISO 8601: when it was last seen at work; null when it never was. */
  seenAt: string | null;
  /** Whether what it sends reaches a system; null where it sends nothing. */
  hasReceiver: boolean | null;
};

/**
 * The banner's place: whether shoppers can see it, and where the merchant switches it on. `isLate`: the store has not
 * accepted the published version, so that shoppers see the former one.
 */
export type BannerPlace = { isOn: boolean; isLate: boolean; openUrl: string };

export const readBannerPlace = async (ctx: Ctx, tenant: Tenant): Promise<BannerPlace> => ({
  isOn: (await findKey(dataOf(ctx, tenant).sql, KEYS.themeEmbed)) !== null,
  isLate: await isBannerLate(ctx, tenant),
  openUrl: ctx.storefront.adminUrl(tenant.shop, themeEditorPaths(tenant.app.clientId).consent),
});

/** A theme without values shows the standard banner. */
export const isBannerLate = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  tenant.connection.banner_version !== undefined && (await isLoaderLate(ctx, tenant));

export type PlaceTest = Pick<Place, "state" | "seenAt"> & { /** ISO 8601. */ at: string };

const PIXEL_STATES: Record<WebPixelState, PlaceState> = {
  active: "active",
  outdated: "outdated",
  none: "off",
  not_allowed: "not_allowed",
  not_connected: "not_connected",
  no_extension: "not_deployed",
  unavailable: "unknown",
};

/** Asks the platform about the pixel; never rejects. */
export function readPlaces(ctx: Ctx, tenant: Tenant): Promise<Place[]> {
  const seenAt = createSeenAtReader(ctx, tenant);
  return Promise.all(
    PLACES.map(async ({ name, scopes, adminPath }): Promise<Place> => {
      const { granted_scopes: granted = [] } = tenant.connection;
      const needed: readonly string[] = scopes;
      const known = await READERS[name](ctx, tenant, seenAt).catch((error: unknown): Read => {
        ctx.log.error("place.unknown", error, { shop: tenant.shop, place: name });
        return { state: "unknown", seenAt: null, hasReceiver: null };
      });
      return {
        name,
        scopes: needed.filter((scope) => !granted.includes(scope)),
        openUrl: ctx.storefront.adminUrl(tenant.shop, adminPath(tenant.app.clientId)),
        ...known,
      };
    }),
  );
}

/** When a place was last seen at work; all are read at once, with the first that is asked for. */
type SeenAt = (key: (typeof SEEN_KEYS)[number]) => Promise<string | null>;
const SEEN_KEYS = [KEYS.themeEmbed, KEYS.adminBlock, KEYS.accountExtension] as const;

function createSeenAtReader(ctx: Ctx, tenant: Tenant): SeenAt {
  let read: Promise<Map<Key, unknown>> | undefined;
  return async (key) => {
    read ??= findKeys(dataOf(ctx, tenant).sql, SEEN_KEYS);
    return ((await read).get(key) as { at: string } | undefined)?.at ?? null;
  };
}

const stateOf = (tenant: Tenant, isOn: boolean): PlaceState => {
  if (!isConnected(tenant)) return "not_connected";
  return isOn ? "active" : "off";
};

type Read = Pick<Place, "state" | "seenAt" | "hasReceiver">;
const READERS: Record<PlaceName, (ctx: Ctx, tenant: Tenant, seenAt: SeenAt) => Promise<Read>> = {
  async theme(_ctx, _tenant, seenAt) {
    const at = await seenAt(KEYS.themeEmbed);
    return {
      state: at === null ? "off" : "active",
      seenAt: at,
      hasReceiver: null,
    };
  },

  async web_pixel(ctx, tenant) {
    const [state, seenAt] = await Promise.all([
      readWebPixel(ctx, tenant),
      lastPixelEvent(ctx, tenant),
    ]);
    return {
      state: PIXEL_STATES[state],
      seenAt,
      hasReceiver: PIXEL_ROUTE.destinations.some((name) => isChannelEnabled(ctx, tenant, name)),
    };
  },

  async admin_customer(_ctx, tenant, seenAt) {
    const at = await seenAt(KEYS.adminBlock);
    return {
      // The platform does not say whether staff has added the block to the customer's page.
      state: stateOf(tenant, at !== null),
      seenAt: at,
      hasReceiver: null,
    };
  },

  // The platform does not tell where an extension stands: what counts is that a customer opened it.
  async customer_account(_ctx, tenant, seenAt) {
    const at = await seenAt(KEYS.accountExtension);
    return {
      state: stateOf(tenant, at !== null),
      seenAt: at,
      hasReceiver: null,
    };
  },

  async flow(ctx, tenant) {
    return {
      state: stateOf(tenant, tenant.config.flow_enabled),
      seenAt: await lastTrigger(ctx, tenant),
      hasReceiver: null,
    };
  },
};

async function lastTrigger(ctx: Ctx, tenant: Tenant): Promise<string | null> {
  const newest = await dataOf(ctx, tenant).prisma.deliveryAttempt.findFirst({
    select: { created_at: true },
    where: { channel: FLOW_CHANNEL, status: "delivered" },
    orderBy: { id: "desc" },
  });
  return newest?.created_at.toISOString() ?? null;
}

async function lastPixelEvent(ctx: Ctx, tenant: Tenant): Promise<string | null> {
  const newest = await dataOf(ctx, tenant).prisma.eventLedger.findFirst({
    select: { received_at: true },
    where: { source: PIXEL_SOURCE },
    orderBy: { received_at: "desc" },
  });
  return newest?.received_at.toISOString() ?? null;
}

/** Writes the pixel again, for the merchant's button. */
export const turnOnPixel = async (ctx: Ctx, { shop }: Tenant): Promise<PlaceState> =>
  PIXEL_STATES[await restoreWebPixel(ctx, shop)];

export const replacePixelKey = async (ctx: Ctx, { shop }: Tenant): Promise<PlaceState> =>
  PIXEL_STATES[await rotatePixelKey(ctx, shop)];

/** Looks again, for the merchant's button. */
export async function testPlace(ctx: Ctx, tenant: Tenant, name: PlaceName): Promise<PlaceTest> {
  const { state, seenAt } = await READERS[name](ctx, tenant, createSeenAtReader(ctx, tenant));
  return { state, seenAt, at: ctx.clock.now().toISOString() };
}
