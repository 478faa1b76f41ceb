// The storefront's admin token: storing and refreshing it (SPEC "Storefront access token", DECISIONS 9).
//
//   none -> valid -> (5 minutes or less left, or forced) -> refreshing -> valid
//                                                                     `-> reauth_required -> (install) -> valid
//
// One refresh at a time per shop across all processes: a lease in the key-value store and a
// compare-and-set on the token's generation. No transaction is open during the HTTP call. A refresh
// token works once, so a lost response is requested again with the same one, and the previous one
// is kept until its successor has worked.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import type { TokenGrant } from "../../../integrations/storefront/token-grant.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { deleteKeyIfHeld } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { putLeaseIfFree } from "../../../runtime/database/queue/lease.ts";
import { tokenRefreshes } from "../../../runtime/telemetry/metrics.ts";
import { FORGET_WRITTEN_VALUES, changeTenantRecord } from "../tenant-record.ts";
import { getTenant, type Tenant } from "../tenant.ts";

const REFRESH_BUFFER_MS = 5 * 60_000;
/** A refresh token that expires sooner than this is exchanged while it still works. */
const KEEP_ALIVE_MS = 7 * 24 * 60 * 60_000;
/**
 * Longer than a refresh with its retry can take, so that a lease expires only for a dead holder.
 */
const LEASE_SECONDS = 40;
const WAIT_FOR_HOLDER_MS = 45_000;
const WAIT_STEP_MS = 50;
const ATTEMPTS = 2;

const REINSTALL = "Install the app again from the store admin to obtain a new token.";

export type StorefrontToken = {
  accessToken: string;
  expiresAt: Date | null;
  generation: number;
  /** What it was granted for; undefined where that is unknown, as for a token that was entered by hand. */
  scopes: string[] | undefined;
};

/**
 * Stores a new grant. An install and a token exchange replace the pair that was stored before.
 */
export async function storeGrant(ctx: Ctx, shop: string, grant: TokenGrant): Promise<void> {
  const { connection } = await getTenant(ctx, shop);
  const { set, remove } = grantFields(ctx, shop, grant);
  await changeTenantRecord(ctx, shop, {
    set,
    remove,
    connection: {
      token_generation: (connection.token_generation ?? 0) + 1,
      token_state: "valid",
      previous_refresh_token: null,
      refresh_token_expires_at: refreshExpiry(ctx, grant),
      granted_scopes: grant.scopes ?? null,
      ...FORGET_WRITTEN_VALUES,
      installed_at: ctx.clock.now().toISOString(),
      uninstalled_at: null,
    },
  });
  ctx.log.info("storefront_token.granted", { shop, expires_in: grant.expiresIn });
}

function refreshExpiry(ctx: Ctx, { refreshExpiresIn }: TokenGrant): string | null {
  return refreshExpiresIn === undefined || refreshExpiresIn === null
    ? null
    : new Date(ctx.clock.now().getTime() + refreshExpiresIn * 1_000).toISOString();
}

/** Forces a refresh while an expiring refresh token still works; otherwise the usual check. */
export function keepStorefrontToken(ctx: Ctx, tenant: Tenant): Promise<StorefrontToken> {
  const { refresh_token_expires_at: endsAt, token_generation: generation = 0 } = tenant.connection;
  const isRefreshTokenEnding =
    endsAt !== undefined && Date.parse(endsAt) - ctx.clock.now().getTime() < KEEP_ALIVE_MS;
  return ensureStorefrontToken(
    ctx,
    tenant.shop,
    isRefreshTokenEnding ? { force: true, generation } : {},
  );
}

function grantFields(
  ctx: Ctx,
  shop: string,
  grant: TokenGrant,
): { set: Record<string, unknown>; remove: string[] } {
  const set: Record<string, unknown> = {
    storefront_admin_token: ctx.secrets.seal(`${shop}/storefront_admin_token`, grant.accessToken),
  };
  if (grant.refreshToken === null || grant.expiresIn === null)
    return { set, remove: ["storefront_refresh_token", "storefront_token_expires_at"] };
  set.storefront_refresh_token = ctx.secrets.seal(
    `${shop}/storefront_refresh_token`,
    grant.refreshToken,
  );
  set.storefront_token_expires_at = new Date(
    ctx.clock.now().getTime() + grant.expiresIn * 1_000,
  ).toISOString();
  return { set, remove: [] };
}

function tokenOf(tenant: Tenant): StorefrontToken {
  const { storefront_admin_token: accessToken, storefront_token_expires_at: expiresAt } =
    tenant.config;
  if (tenant.connection.token_state === "reauth_required")
    throw new AppError("not_installed", {
      message: `The storefront no longer accepts this store's token. ${REINSTALL}`,
    });
  if (!accessToken)
    throw new AppError("not_installed", {
      message: `No storefront token is stored for this store. ${REINSTALL}`,
    });
  return {
    accessToken,
    expiresAt: expiresAt ? new Date(expiresAt) : null,
    generation: tenant.connection.token_generation ?? 0,
    scopes: tenant.connection.granted_scopes,
  };
}

/** Without a refresh token or an expiry there is nothing to refresh, forced or not (SPEC: skipped). */
const canBeRefreshed = ({ config }: Tenant): boolean =>
  Boolean(config.storefront_refresh_token && config.storefront_token_expires_at);

const isAccessTokenExpiring = (ctx: Ctx, { expiresAt }: StorefrontToken): boolean =>
  expiresAt !== null && expiresAt.getTime() - ctx.clock.now().getTime() <= REFRESH_BUFFER_MS;

/** The token of this record; null when it has to be refreshed first. Throws `not_installed`. */
export function findFreshToken(ctx: Ctx, tenant: Tenant): StorefrontToken | null {
  const token = tokenOf(tenant);
  return canBeRefreshed(tenant) && isAccessTokenExpiring(ctx, token) ? null : token;
}

/** The platform refuses the token, and no refresh helps: the next launch of the app gets another. */
export async function noteRefusedToken(
  ctx: Ctx,
  shop: string,
  { generation }: StorefrontToken,
): Promise<void> {
  if (isRefusedToken(await getTenant(ctx, shop))) return;
  await changeTenantRecord(ctx, shop, {
    connection: { refused_generation: generation },
    ifGeneration: generation,
  });
}

export const isRefusedToken = ({ connection }: Tenant): boolean =>
  connection.refused_generation !== undefined &&
  connection.refused_generation === (connection.token_generation ?? 0);

const callers = new WeakMap<Ctx, Map<string, Promise<StorefrontToken>>>();

/**
 * `generation`: of the token to replace. A forced refresh is skipped when a newer token is already stored.
 */
export type EnsureOptions = { force?: boolean; generation?: number };

/**
 * Returns a token that is valid for more than five minutes; refreshes it first otherwise, or when
 * `force` is set. Callers of one process share one refresh; callers of other processes wait for it
 * or continue with a token that still works. Throws `not_installed` when only a new install helps,
 * OutboundError when the platform cannot be reached.
 */
export function ensureStorefrontToken(
  ctx: Ctx,
  shop: string,
  options: EnsureOptions = {},
): Promise<StorefrontToken> {
  const running = callers.get(ctx) ?? new Map<string, Promise<StorefrontToken>>();
  callers.set(ctx, running);
  const key = `${shop}/${options.force ? `force ${options.generation ?? ""}` : "check"}`;
  const known = running.get(key);
  if (known) return known;
  const started = ensure(ctx, shop, options).finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

async function ensure(
  ctx: Ctx,
  shop: string,
  { force = false, generation }: EnsureOptions,
): Promise<StorefrontToken> {
  const tenant = await getTenant(ctx, shop);
  const token = tokenOf(tenant);
  if (!canBeRefreshed(tenant)) return token;
  if (force && generation !== undefined && generation !== token.generation) return token;
  if (!force && !isAccessTokenExpiring(ctx, token)) return token;

  const sql = ctx.home.forTenant(shop).sql;
  const key = KEYS.lease("storefront_token");
  const holder = ctx.random.uuid();
  const deadline = ctx.clock.now().getTime() + WAIT_FOR_HOLDER_MS;
  while (!(await putLeaseIfFree(sql, key, holder, LEASE_SECONDS))) {
    const now = ctx.clock.now();
    const current = tokenOf(await getTenant(ctx, shop));
    if (current.generation !== token.generation) return current;
    if (!force && current.expiresAt && current.expiresAt > now) return current;
    if (now.getTime() > deadline)
      throw new OutboundError("storefront", "timeout", {
        message: "another process holds the token refresh and does not finish",
      });
    await delay(WAIT_STEP_MS);
  }
  try {
    const current = await getTenant(ctx, shop);
    const newest = tokenOf(current);
    return newest.generation === token.generation ? await refresh(ctx, current, newest) : newest;
  } finally {
    await deleteKeyIfHeld(sql, key, holder);
  }
}

async function refresh(ctx: Ctx, tenant: Tenant, token: StorefrontToken): Promise<StorefrontToken> {
  const { shop } = tenant;
  const granted = await refreshWithEither(ctx, tenant);
  if (!granted) return giveUp(ctx, tenant, token);
  const { grant, used } = granted;
  const { set, remove } = grantFields(ctx, shop, grant);
  const isStored = await changeTenantRecord(ctx, shop, {
    set,
    remove,
    connection: {
      token_generation: token.generation + 1,
      token_state: "valid",
      previous_refresh_token: ctx.secrets.seal(`${shop}/previous_refresh_token`, used),
      refresh_token_expires_at: refreshExpiry(ctx, grant),
    },
    ifGeneration: token.generation,
  });
  tokenRefreshes.inc({ outcome: "refreshed" });
  ctx.log.info("storefront_token.refreshed", {
    shop,
    stored: isStored,
    expires_in: grant.expiresIn,
  });
  // Not stored: a newer grant (an install, a token exchange) was stored meanwhile and retired ours.
  return tokenOf(await getTenant(ctx, shop));
}

/** With the current refresh token, else with the previous one. Null: the platform refuses both. */
async function refreshWithEither(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ grant: TokenGrant; used: string } | null> {
  const { shop, config, connection } = tenant;
  const previous = connection.previous_refresh_token
    ? ctx.secrets.unseal(`${shop}/previous_refresh_token`, connection.previous_refresh_token)
    : null;
  for (const used of [config.storefront_refresh_token as string, previous]) {
    if (!used) continue;
    try {
      return { grant: await askForRefresh(ctx, tenant, used), used };
    } catch (error) {
      if (isOfTheApp(error)) throw rejectedApp(ctx, shop);
      if (!isRefusal(error)) throw error;
    }
  }
  return null;
}

/**
 * The platform does not know the app by its id and secret, and says nothing about the token. Giving up would
 * cost every store its token for a mistake that the operator corrects in a minute.
 */
const isOfTheApp = (error: unknown): boolean =>
  error instanceof OutboundError &&
  error.kind === "status" &&
  /"error"\s{0,9}:\s{0,9}"invalid_client"/.test(error.body ?? "");

/** Without a status: the call may be repeated once the secret is right. */
function rejectedApp(ctx: Ctx, shop: string): OutboundError {
  tokenRefreshes.inc({ outcome: "app_rejected" });
  ctx.log.warn("storefront_token.app_rejected", { shop });
  return new OutboundError("storefront", "malformed", {
    message:
      "the storefront does not accept this app's client id and secret: check PLATFORM_CLIENT_ID and PLATFORM_APP_SECRET, or the store's own app secret",
  });
}

/** Repeats a call whose response was lost: the platform may have rotated the token. */
async function askForRefresh(ctx: Ctx, tenant: Tenant, refreshToken: string): Promise<TokenGrant> {
  const app = { clientId: tenant.app.clientId, clientSecret: tenant.app.secrets[0] ?? "" };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ctx.storefront.refresh(tenant.shop, app, refreshToken);
    } catch (error) {
      const isLost =
        error instanceof OutboundError && (error.kind === "network" || error.kind === "timeout");
      if (isLost) tokenRefreshes.inc({ outcome: "unanswered" });
      if (!isLost || attempt >= ATTEMPTS) throw error;
    }
  }
}

/**
 * 400 and 401 mean that the refresh token is invalid, and so does a 403 with an error of OAuth: any other is of
 * a page in front of the platform, or about the store. 402, 423, 429, 5xx and timeouts never discard the token.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof OutboundError) || error.kind !== "status") return false;
  const { status = 0, body = "" } = error;
  return [400, 401].includes(status) || (status === 403 && OAUTH_ERROR.test(body));
}

/** RFC 6749, section 5.2. */
const OAUTH_ERROR = /"error"\s{0,9}:\s{0,9}"/;

async function giveUp(ctx: Ctx, tenant: Tenant, token: StorefrontToken): Promise<StorefrontToken> {
  await changeTenantRecord(ctx, tenant.shop, {
    connection: { token_state: "reauth_required" },
    ifGeneration: token.generation,
  });
  tokenRefreshes.inc({ outcome: "refused" });
  ctx.log.warn("storefront_token.refused", { shop: tenant.shop });
  // Throws `not_installed`, unless a newer grant was stored meanwhile.
  return tokenOf(await getTenant(ctx, tenant.shop));
}
