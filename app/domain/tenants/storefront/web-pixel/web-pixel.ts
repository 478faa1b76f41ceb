// The store's web pixel at the platform (shopify.dev `webPixelCreate`): an app has one for each store, with
// settings of its own. The scopes are optional: without them there is no pixel, and nothing is called.
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../../context.server.ts";
import {
  APP_INSTALLATION,
  WEB_PIXEL,
  WEB_PIXEL_CREATE,
  WEB_PIXEL_UPDATE,
} from "../../../../integrations/storefront/documents.ts";
import { withLease } from "../../../../runtime/database/queue/lease.ts";
import { isAppError, OutboundError } from "../../../../runtime/errors.ts";
import { isConnected } from "../../store-access.ts";
import { changeTenantRecord } from "../../tenant-record.ts";
import { getTenant, type Tenant } from "../../tenant.ts";
import { keepGrantedScopes } from "../granted-scopes.ts";
import { callAdminApi, requireNoUserErrors, type UserError } from "../admin-api.ts";
import { pixelKey } from "./web-pixel-key.ts";

export const PIXEL_SCOPES = ["write_pixels", "read_customer_events"] as const;

/** `no_extension`: the app is not deployed with its extension. `refused`: for another reason. */
export type WebPixelState =
  "active" | "outdated" | "none" | "not_allowed" | "not_connected" | "no_extension" | "unavailable";
type Written = "written" | "unchanged" | "busy" | "not_allowed" | "not_connected" | "no_extension";

type Settings = { accountID: string; endpoint: string };
type Payload = { webPixel?: { id: string } | null; userErrors?: UserError[] } | null | undefined;

/** The merchant's button and the worker write at the same moment when the merchant has just allowed it. */
const WAIT_FOR_HOLDER_MS = 5_000;
const WAIT_STEP_MS = 50;

const NO_EXTENSION = /no extension found/i;
const NO_PIXEL = /no web pixel/i;

const missingScopes = ({ connection }: Tenant): string[] =>
  PIXEL_SCOPES.filter((scope) => !connection.granted_scopes?.includes(scope));

/** Why there is nothing to write for this store; null when there is. */
function obstacle(tenant: Tenant): "not_connected" | "not_allowed" | null {
  if (!isConnected(tenant)) return "not_connected";
  // A store that shares its role sends storefront webhooks only.
  return missingScopes(tenant).length > 0 || tenant.config.access_role === "shared"
    ? "not_allowed"
    : null;
}

const settingsOf = (ctx: Ctx, tenant: Tenant): Settings => ({
  accountID: pixelKey(ctx, tenant),
  endpoint: `${new URL(ctx.baseUrl).origin}/events/ingest?${new URLSearchParams({ source: "storefront_pixel", shop: tenant.shop })}`,
});

const digest = (settings: Settings): string => hash("sha256", JSON.stringify(settings));

/** Whether the platform lacks the pixel, or has it with other settings, as far as is known here. */
export const isPixelOutdated = (ctx: Ctx, tenant: Tenant): boolean =>
  obstacle(tenant) === null &&
  tenant.connection.web_pixel?.settings !== digest(settingsOf(ctx, tenant));

/** Why no call is made for this store now; null when its pixel is to be written. */
const reasonNotToWrite = (ctx: Ctx, tenant: Tenant): Exclude<Written, "written" | "busy"> | null =>
  obstacle(tenant) ?? (isPixelOutdated(ctx, tenant) ? null : "unchanged");

/** Makes no call while the settings are those last written. Throws as `callAdminApi`. */
export async function writeWebPixel(ctx: Ctx, shop: string): Promise<Written> {
  const deadline = performance.now() + WAIT_FOR_HOLDER_MS;
  for (;;) {
    const reason = reasonNotToWrite(ctx, await getTenant(ctx, shop));
    if (reason) return reason;
    // One writer at a time: of two keys the older could arrive last.
    const held = await withLease(ctx.home.forTenant(shop).sql, "web_pixel", () =>
      writeSettings(ctx, shop),
    );
    if (held) return held.result;
    if (performance.now() > deadline) return "busy";
    await delay(WAIT_STEP_MS);
  }
}

async function writeSettings(ctx: Ctx, shop: string): Promise<Written> {
  const tenant = await getTenant(ctx, shop);
  // The former holder may have written it meanwhile.
  const reason = reasonNotToWrite(ctx, tenant);
  if (reason) return reason;
  const settings = settingsOf(ctx, tenant);
  try {
    const known = tenant.connection.web_pixel?.id;
    const id =
      (known && (await update(ctx, shop, known, settings))) ??
      (await create(ctx, shop, settings)) ??
      (await updateFound(ctx, shop, settings));
    // Not when the app was installed again meanwhile: the pixel ended with the old installation.
    await changeTenantRecord(ctx, shop, {
      connection: { web_pixel: { id, settings: digest(settings) } },
      ifGeneration: tenant.connection.token_generation ?? 0,
    });
    ctx.log.info("web_pixel.written", { shop });
    return "written";
  } catch (error) {
    if (error instanceof OutboundError && NO_EXTENSION.test(error.message)) return "no_extension";
    throw error;
  }
}

/** The pixel's id; undefined when the platform has none of this id any more. */
async function update(
  ctx: Ctx,
  shop: string,
  id: string,
  settings: Settings,
): Promise<string | undefined> {
  const { webPixelUpdate } = await callAdminApi<{ webPixelUpdate: Payload }>(ctx, shop, {
    document: WEB_PIXEL_UPDATE,
    variables: { id, webPixel: { settings } },
  });
  if (webPixelUpdate?.userErrors?.some(({ code }) => code === "NOT_FOUND")) return undefined;
  return requireId("webPixelUpdate", webPixelUpdate);
}

/** Undefined when the store has a pixel already. */
async function create(ctx: Ctx, shop: string, settings: Settings): Promise<string | undefined> {
  const { webPixelCreate } = await callAdminApi<{ webPixelCreate: Payload }>(ctx, shop, {
    document: WEB_PIXEL_CREATE,
    variables: { webPixel: { settings } },
  });
  if (webPixelCreate?.userErrors?.some(({ code }) => code === "TAKEN")) return undefined;
  return requireId("webPixelCreate", webPixelCreate);
}

async function updateFound(ctx: Ctx, shop: string, settings: Settings): Promise<string> {
  const found = await findPixel(ctx, shop);
  const id = found && (await update(ctx, shop, found.id, settings));
  return id || requireId("webPixelUpdate", null);
}

function requireId(mutation: string, payload: Payload): string {
  requireNoUserErrors(mutation, payload?.userErrors);
  if (payload?.webPixel) return payload.webPixel.id;
  throw new OutboundError("storefront", "malformed", { message: `${mutation} returned no pixel` });
}

/** Null when the store has none. */
async function findPixel(
  ctx: Ctx,
  shop: string,
): Promise<{ id: string; settings: unknown } | null> {
  try {
    const { webPixel } = await callAdminApi<{
      webPixel?: { id: string; settings: unknown } | null;
    }>(ctx, shop, { document: WEB_PIXEL });
    return webPixel ?? null;
  } catch (error) {
    if (error instanceof OutboundError && NO_PIXEL.test(error.message)) return null;
    throw error;
  }
}

/** Asks the platform; never rejects. */
export async function readWebPixel(ctx: Ctx, tenant: Tenant): Promise<WebPixelState> {
  const reason = obstacle(tenant);
  if (reason) return reason;
  try {
    const pixel = await findPixel(ctx, tenant.shop);
    if (!pixel) return "none";
    const { accountID, endpoint } = settingsOf(ctx, tenant);
    const now = parseSettings(pixel.settings);
    return now.accountID === accountID && now.endpoint === endpoint ? "active" : "outdated";
  } catch (error) {
    return toState(ctx, tenant.shop, error);
  }
}

/**
 * Writes the pixel again even when it was written before, for a merchant's button: the store may have lost it.
 * Never rejects.
 */
export async function restoreWebPixel(ctx: Ctx, shop: string): Promise<WebPixelState> {
  try {
    // The webhook about the scopes that the merchant just granted may not have arrived.
    const at = ctx.clock.now();
    await keepGrantedScopes(ctx, shop, await readGrantedScopes(ctx, shop), at);
    await changeTenantRecord(ctx, shop, { connection: { web_pixel: null } });
    const written = await writeWebPixel(ctx, shop);
    if (written === "written" || written === "unchanged") return "active";
    return written === "busy" ? "outdated" : written;
  } catch (error) {
    return toState(ctx, shop, error);
  }
}

async function readGrantedScopes(ctx: Ctx, shop: string): Promise<string[]> {
  const { currentAppInstallation } = await callAdminApi<{
    currentAppInstallation: { accessScopes: { handle: string }[] };
  }>(ctx, shop, { document: APP_INSTALLATION });
  return currentAppInstallation.accessScopes.map(({ handle }) => handle);
}

/** Events with the old key are refused from now on, until the platform has the new one. Never rejects. */
export async function rotatePixelKey(ctx: Ctx, shop: string): Promise<WebPixelState> {
  const { connection } = await getTenant(ctx, shop);
  await changeTenantRecord(ctx, shop, {
    connection: { pixel_key_version: (connection.pixel_key_version ?? 1) + 1 },
  });
  ctx.log.info("web_pixel.key_rotated", { shop });
  return restoreWebPixel(ctx, shop);
}

function toState(ctx: Ctx, shop: string, error: unknown): WebPixelState {
  if (isAppError(error)) return "not_connected";
  if (error instanceof OutboundError && PIXEL_SCOPES.some((one) => error.message.includes(one)))
    return "not_allowed";
  ctx.log.warn("web_pixel.unknown", { shop, reason: (error as Error).message });
  return "unavailable";
}

/** The platform answers an object, or its JSON. */
function parseSettings(value: unknown): Partial<Settings> {
  try {
    const parsed: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
