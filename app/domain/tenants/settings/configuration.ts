// Saving and reading configuration: a tenant's own and the platform's (SPEC "Admin and configuration",
// DECISIONS 10).
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import { AppError } from "../../../runtime/errors.ts";
import { sameProblem } from "../../../runtime/field-problem.ts";
import { compareAndSetKey, findKey, putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import type { SettingsActor } from "../admin-key.ts";
import { isConnected } from "../store-access.ts";
import { buildFieldPatch, type FieldPatch, type FieldTable } from "./field-patch.ts";
import { requireFittingFields } from "./field-rules.ts";
import { requireUnchanged, type FieldVersions } from "./field-versions.ts";
import { mask, maskQuery } from "./masking.ts";
import { claimHosts, proveHosts } from "../public-hosts.ts";
import { provisionRegion, requireRegion } from "../provision-region.ts";
import { PLATFORM_FIELDS, type PlatformConfig } from "./platform-config.ts";
import { defaultFields, TENANT_FIELDS, tenantField, tenantFieldNames } from "../tenant-config.ts";
import {
  FORGET_WRITTEN_VALUES,
  changeTenantRecord,
  openFields,
  registerTenant,
  type RecordChange,
} from "../tenant-record.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import { findTenant, getTenant, StaleTenantError, type Tenant } from "../tenant.ts";
import { requestLoaderMetafield } from "../storefront/loader-worker.ts";
import { registerWebhooks } from "../storefront/webhook-registration.ts";

/** SPEC's alias: the embedded app's name of the token. */
const ALIASES = new Map([["storefront_access_token", "storefront_admin_token"]]);

/**
 * Validates and stores the fields; registers the store when it is new. Nothing is stored when any field is invalid.
 *
 * `by: "store"`: fields that only the operator may set are refused.
 * `seen`: throws `conflict` for a field that somebody changed since, and StaleTenantError when the record changes
 * during the save (`withTenant`).
 */
export async function saveTenantConfig(
  ctx: Ctx,
  shop: string,
  input: Record<string, unknown>,
  { by, seen }: { by: SettingsActor; seen?: FieldVersions | undefined },
): Promise<{ registered: boolean }> {
  const tenant = await findTenant(ctx, shop);
  const patch = await readPatch(ctx, shop, tenant, input);
  const touched = [...Object.keys(patch.set), ...patch.remove];
  if (by === "store") requireOwnFields(tenant, patch);
  requireFittingFields(shop, tenant, patch, { by });
  if (seen && tenant) requireUnchanged(ctx, tenant, patch, seen);

  const { region, rest } = splitRegion(withoutDefaults(tenant, patch));
  // Before the store is registered: a rejected save leaves nothing behind.
  if (region !== undefined) requireRegion(ctx, region);
  const isMoved = region !== undefined && region !== (tenant?.region ?? HOME_REGION);
  // A store with rows cannot move: checked before anything is saved.
  if (tenant && isMoved) await provisionRegion(ctx, shop, region);
  const change: RecordChange = {
    ...rest,
    connection: { ...tokenChange(tenant, rest), ...iterationsChange(tenant, rest) },
    ...(seen && tenant && { ifVersion: tenant.version.tenant }),
  };
  const hosts = await changedHosts(ctx, shop, rest, { by });
  const registered = await storeChange(ctx, shop, change, hosts);
  if (!tenant && isMoved) await provisionRegion(ctx, shop, region);

  ctx.log.info("tenant.configured", { shop, fields: touched });
  if (touched.includes("event_bus_phase")) await moveWebhooks(ctx, shop);
  await requestLoaderMetafield(ctx, shop);
  return { registered };
}

async function readPatch(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null,
  input: Record<string, unknown>,
): Promise<FieldPatch> {
  const fields = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [ALIASES.get(name) ?? name, value]),
  );
  return buildFieldPatch(fields, {
    table: TENANT_FIELDS,
    current: tenant?.saved ?? {},
    place: shop,
    secrets: ctx.secrets,
    addressRules: await ctx.addressRules(),
  });
}

/** Throws `forbidden` when the patch changes a field that only the operator may set. */
function requireOwnFields(tenant: Tenant | null, { set, remove }: FieldPatch): void {
  const reserved = tenantFieldNames.filter(
    (name) =>
      tenantField(name).platformOnly &&
      (name in set || remove.includes(name)) &&
      set[name] !== tenant?.config[name],
  );
  if (reserved.length > 0)
    throw new AppError("forbidden", {
      message: `Only the platform's key may change: ${reserved.join(", ")}.`,
      ...sameProblem(reserved, { code: "byPlatform", reason: "is set by the platform" }),
    });
}

/** A form sends back the defaults that it was shown: they are not saved as values. */
function withoutDefaults(tenant: Tenant | null, { set, remove }: FieldPatch): FieldPatch {
  const defaults = defaultFields();
  const isShownDefault = (name: string, value: unknown) =>
    tenant?.saved[name] === undefined && isDeepStrictEqual(value, defaults[name]);
  const changed = Object.entries(set).filter(([name, value]) => !isShownDefault(name, value));
  return { set: Object.fromEntries(changed), remove };
}

/** Saved by provisionRegion, not with the fields. `region` undefined: the patch does not name it. */
function splitRegion({ set: { region: named, ...set }, remove }: FieldPatch): {
  region: string | undefined;
  rest: FieldPatch;
} {
  return {
    region: remove.includes("region") ? HOME_REGION : (named as string | undefined),
    rest: { set, remove: remove.filter((name) => name !== "region") },
  };
}

type Hosts = Awaited<ReturnType<typeof proveHosts>>;

/** The store's new hosts with their proofs; null when the save does not change them. */
async function changedHosts(
  ctx: Ctx,
  shop: string,
  { set, remove }: FieldPatch,
  asked: { by: SettingsActor },
): Promise<Hosts | null> {
  if (remove.includes("public_hosts")) return new Map();
  const hosts = set.public_hosts as string[] | undefined;
  return hosts ? proveHosts(ctx, shop, hosts, asked) : null;
}

/**
 * Registration, hosts and record commit together: a host without its record would resolve to a
 * store that does not list it, and a rejected host must not register a store. Returns whether the
 * store is new.
 */
async function storeChange(
  ctx: Ctx,
  shop: string,
  change: RecordChange,
  hosts: Hosts | null,
): Promise<boolean> {
  return ctx.home.forTenant(shop).transaction(async (sql, prisma) => {
    // First, because it may throw.
    const connection = hosts
      ? { ...change.connection, proven_hosts: await claimHosts({ sql, prisma }, hosts) }
      : change.connection;
    const isNew = await registerTenant(ctx, shop, sql);
    const merged = { ...change, ...(connection && { connection }) };
    if (!(await changeTenantRecord(ctx, shop, merged, sql))) throw new StaleTenantError();
    return isNew;
  });
}

/**
 * A new phase changes the webhooks' path. A rejection by the storefront is shown, and repaired, on
 * the home page.
 */
async function moveWebhooks(ctx: Ctx, shop: string): Promise<void> {
  if (!isConnected(await getTenant(ctx, shop))) return;
  await registerWebhooks(ctx, shop).catch((error: Error) =>
    ctx.log.warn("webhooks.not_moved", { shop, reason: error.message }),
  );
}

/**
 * A token saved by hand is a new grant: it invalidates a running refresh, and ends `reauth_required` and an
 * uninstall.
 */
function tokenChange(
  tenant: Tenant | null,
  { set, remove }: FieldPatch,
): RecordChange["connection"] {
  const generation = tenant?.connection.token_generation ?? 0;
  if (set.storefront_admin_token !== undefined || set.storefront_refresh_token !== undefined)
    return {
      token_generation: generation + 1,
      token_state: "valid",
      previous_refresh_token: null,
      ...FORGET_WRITTEN_VALUES,
      uninstalled_at: null,
    };
  if (remove.includes("storefront_admin_token"))
    return {
      token_generation: generation + 1,
      token_state: null,
      previous_refresh_token: null,
    };
  return {};
}

/** A failed sign-in goes on costing as much as the strongest hash that the store may have. */
function iterationsChange(
  tenant: Tenant | null,
  { set, remove }: FieldPatch,
): RecordChange["connection"] {
  if (!tenant || !(remove.includes("password_iterations") || "password_iterations" in set))
    return {};
  const { lowered_password_iterations: earlier = 0 } = tenant.connection;
  return {
    lowered_password_iterations: Math.max(earlier, tenant.config.password_iterations),
  };
}

/** The saved fields, every credential masked. */
export const maskSavedFields = ({ saved }: Pick<Tenant, "saved">): Record<string, unknown> =>
  maskFields(TENANT_FIELDS, saved);

/**
 * The saved fields, and the default of every other field; every credential masked. The service's shared
 * values are left out: sent back by a form, they would become the store's.
 */
export async function showTenantConfig(ctx: Ctx, shop: string): Promise<Record<string, unknown>> {
  return { ...defaultFields(), ...maskSavedFields(await getTenant(ctx, shop)) };
}

function maskFields(table: FieldTable, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, maskField(table[name], value)]),
  );
}

function maskField(field: FieldTable[string] | undefined, value: unknown): unknown {
  if (field?.secret) return mask(String(value));
  return field?.mayBePresigned ? maskQuery(String(value)) : value;
}

async function readPlatform(
  ctx: Ctx,
): Promise<{ saved: Record<string, unknown>; stored: Record<string, unknown>; version: number }> {
  const row = await findKey<Record<string, unknown>>(
    ctx.home.forTenant(PLATFORM).sql,
    PLATFORM_KEYS.config,
  );
  const stored = row?.value ?? {};
  return {
    saved: openFields(ctx.secrets, PLATFORM, stored, Object.keys(PLATFORM_FIELDS)),
    stored,
    version: row?.version ?? 0,
  };
}

/** The platform's configuration with its secrets in the clear. */
export async function readPlatformConfig(ctx: Ctx): Promise<PlatformConfig> {
  return (await readPlatform(ctx)).saved;
}

export async function showPlatformConfig(ctx: Ctx): Promise<Record<string, unknown>> {
  return maskFields(PLATFORM_FIELDS, (await readPlatform(ctx)).saved);
}

export async function savePlatformConfig(ctx: Ctx, input: Record<string, unknown>): Promise<void> {
  const { sql } = ctx.home.forTenant(PLATFORM);
  const { saved, stored, version } = await readPlatform(ctx);
  const patch = buildFieldPatch(input, {
    table: PLATFORM_FIELDS,
    current: saved,
    place: PLATFORM,
    secrets: ctx.secrets,
    addressRules: await ctx.addressRules(),
  });
  const next: Record<string, unknown> = { ...stored, ...patch.set };
  for (const name of patch.remove) delete next[name];
  const isStored =
    version === 0
      ? await putKeyIfAbsent(sql, PLATFORM_KEYS.config, next)
      : await compareAndSetKey(sql, PLATFORM_KEYS.config, version, next);
  if (!isStored) throw new AppError("conflict");
  ctx.log.info("platform.configured", { fields: Object.keys(input) });
}
