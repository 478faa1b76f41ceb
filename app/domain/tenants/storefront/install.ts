// The app install (shopify.dev "Authorization code grant"): state in the key-value store and in a
// cookie, the callback's HMAC, the code exchanged form-encoded with `expiring=1`.
import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import { AppError } from "../../../runtime/errors.ts";
import { deleteKeyIfHeld, putKey, renewKeyIfHeld, takeKey } from "../../../runtime/database/kv.ts";
import { KEYS, PLATFORM_KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { putLeaseIfFree } from "../../../runtime/database/queue/lease.ts";
import { secretEquals } from "../../../runtime/secrets.ts";
import { SHOP_PATTERN } from "../tenant-config.ts";
import { storeGrant } from "./access-token.ts";
import { registerTenant } from "../tenant-record.ts";
import { appOf, findTenant, getTenant } from "../tenant.ts";
import { requestLoaderMetafield } from "./loader-worker.ts";
import { tryToReadPrimaryDomain } from "./primary-domain.ts";
import { requestWebPixel } from "./web-pixel/web-pixel-worker.ts";
import { registerWebhooks, registrationRequests } from "./webhook-registration.ts";

type InstallState = { kind: "install"; shop: string };

/**
 * Returns where to redirect the merchant, and the state that must return in both the query and the
 * browser's cookie.
 */
export async function beginInstall(
  ctx: Ctx,
  shop: string,
): Promise<{ location: string; state: string }> {
  const state = ctx.random.uuid();
  const kept: InstallState = { kind: "install", shop };
  await putKey(
    ctx.home.forTenant(PLATFORM).sql,
    PLATFORM_KEYS.oauthState(state),
    kept,
    TTL_SECONDS.oauthState,
  );
  const location = ctx.storefront.authorizeUrl(shop, {
    client_id: appOf(ctx, await findTenant(ctx, shop)).clientId,
    scope: ctx.config.SCOPES.join(","),
    redirect_uri: `${ctx.baseUrl}/auth/callback`,
    state,
  });
  ctx.log.info("install.begun", { shop });
  return { location, state };
}

// The same secret signs proxied requests, whose query visitors influence. Such a text always has
// `logged_in_customer_id=` and `path_prefix=`; parsed as a callback, where no value has `=` or `&`, both
// would be names.
const PROXY_NAMES = ["logged_in_customer_id", "path_prefix"];
const CALLBACK_NAME = /^[a-z_]{1,40}$/;
const CALLBACK_VALUE = /^[^=&]{0,2000}={0,2}$/;

/** Whether the query can only be one that the platform signed for a callback. */
const isCallback = (query: URLSearchParams): boolean =>
  new Set(query.keys()).size === query.size &&
  [...query].every(
    ([name, value]) =>
      CALLBACK_NAME.test(name) && !PROXY_NAMES.includes(name) && CALLBACK_VALUE.test(value),
  );

/**
 * Hex HMAC-SHA256 over the sorted query without `hmac`. The platform documents unencoded values, its own
 * library signs percent-encoded ones: both prove the same secret, so both are accepted.
 */
function callbackSignatures(query: URLSearchParams, secret: string): string[] {
  const signed = [...query].filter(([name]) => name !== "hmac");
  return [(value: string) => value, encodeURIComponent].map((encode) => {
    const message = signed
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join("&");
    return createHmac("sha256", secret).update(message).digest("hex");
  });
}

/**
 * Verifies the callback, stores the token pair, registers the tenant and its webhooks. Returns where to
 * redirect the merchant: into the app.
 */
export async function completeInstall(
  ctx: Ctx,
  query: URLSearchParams,
  cookieState: string | undefined,
): Promise<{ shop: string; location: string }> {
  const [shop = "", code = "", state = "", hmac = ""] = ["shop", "code", "state", "hmac"].map(
    (name) => query.get(name) ?? "",
  );
  if (!SHOP_PATTERN.test(shop) || !code || !state || !hmac || !isCallback(query))
    throw new AppError("invalid_install");
  const app = appOf(ctx, await findTenant(ctx, shop));
  const expected = app.secrets.flatMap((secret) => callbackSignatures(query, secret));
  if (!expected.map((signature) => secretEquals(signature, hmac)).some(Boolean))
    throw new AppError("invalid_install");
  // The cookie binds the callback to the browser that started: otherwise an attacker could complete
  // their install in another browser.
  if (!cookieState || !secretEquals(cookieState, state)) throw new AppError("invalid_state");
  const kept = await takeKey<InstallState>(
    ctx.home.forTenant(PLATFORM).sql,
    PLATFORM_KEYS.oauthState(state),
  );
  if (kept?.kind !== "install" || kept.shop !== shop) throw new AppError("invalid_state");

  await oneAfterTheOther(ctx, shop, async (isNext) => {
    const generation = await findGeneration(ctx, shop);
    const grant = await ctx.storefront.exchangeCode(
      shop,
      { clientId: app.clientId, clientSecret: app.secrets[0] ?? "" },
      code,
    );
    await registerTenant(ctx, shop);
    // This process was suspended, and a later grant has ended this one.
    if (!(await isNext()) && (await findGeneration(ctx, shop)) !== generation) return;
    await storeGrant(ctx, shop, grant);
    ctx.log.info("install.completed", { shop, scopes: grant.scopes });
  });
  await tryToRegisterWebhooks(ctx, shop);
  await requestLoaderMetafield(ctx, shop);
  await requestWebPixel(ctx, shop);
  await tryToReadPrimaryDomain(ctx, shop);
  return {
    shop,
    location: ctx.storefront.adminUrl(
      shop,
      `/admin/apps/${(await getTenant(ctx, shop)).app.clientId}`,
    ),
  };
}

/** Counts the grants that were stored. */
const findGeneration = async (ctx: Ctx, shop: string): Promise<number> =>
  (await findTenant(ctx, shop))?.connection.token_generation ?? 0;

/** Longer than the platform may take to answer. */
const EXCHANGE_SECONDS = 30;
const LOOK_AGAIN_MS = 50;

/**
 * Each grant ends the refresh tokens before it, so the one that was granted last must be stored last. A
 * refresh that runs meanwhile does not count: it gives way to a newer grant by itself. `isNext`: false when
 * another exchange may have begun.
 */
async function oneAfterTheOther(
  ctx: Ctx,
  shop: string,
  exchange: (isNext: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { sql } = ctx.home.forTenant(shop);
  const key = KEYS.lease("storefront_install");
  const holder = ctx.random.uuid();
  while (!(await putLeaseIfFree(sql, key, holder, EXCHANGE_SECONDS))) await delay(LOOK_AGAIN_MS);
  try {
    await exchange(() => renewKeyIfHeld(sql, key, holder, EXCHANGE_SECONDS));
  } finally {
    await deleteKeyIfHeld(sql, key, holder);
  }
}

/** A store whose webhooks cannot be registered now is installed anyway; the worker tries again. */
export async function tryToRegisterWebhooks(ctx: Ctx, shop: string): Promise<void> {
  try {
    await registerWebhooks(ctx, shop);
  } catch (error) {
    ctx.log.warn("webhooks.not_registered", { shop, reason: (error as Error).message });
    await registrationRequests.add(ctx, shop);
  }
}
