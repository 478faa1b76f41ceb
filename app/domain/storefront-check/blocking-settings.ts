// Which known vendors' scripts wait for consent without a mark in the theme: what the merchant sees and changes. The
// store's pages get it through a metafield (tenants/storefront/blocker-values.ts).
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { saveTenantConfig } from "../tenants/settings/configuration.ts";
import { versionOf } from "../tenants/settings/field-versions.ts";
import { isConnected } from "../tenants/store-access.ts";
import { withTenant, type Tenant } from "../tenants/tenant.ts";
import { KNOWN_VENDORS, type Purpose } from "../vendors/known-vendors.ts";
import { isBlockable, isBlocked, type ScriptBlocking } from "../vendors/script-blocking.ts";
import type { StorefrontResult } from "./storefront-check.ts";

export type BlockedVendor = {
  name: string;
  purposes: readonly Purpose[];
  waits: boolean;
  followsConsentMode: boolean;
};

export type Blocking = {
  isOn: boolean;
  /** The pages get it from the platform, which only a connected store writes to. */
  isConnected: boolean;
  /** What the last check found, and what the merchant decided about. */
  vendors: BlockedVendor[];
  /** The version of the saved setting (settings/field-versions.ts). */
  version: string;
};

export function readBlocking(ctx: Ctx, tenant: Tenant, result: StorefrontResult | null): Blocking {
  const setting = tenant.config.script_blocking;
  const shown = new Set([
    ...(result?.scripts ?? []).map(({ vendor }) => vendor),
    ...setting.run,
    ...setting.block,
  ]);
  return {
    isOn: setting.enabled,
    isConnected: isConnected(tenant),
    vendors: KNOWN_VENDORS.filter((vendor) => shown.has(vendor.name) && isBlockable(vendor)).map(
      (vendor) => ({
        name: vendor.name,
        purposes: vendor.purposes,
        waits: isBlocked(vendor, setting),
        followsConsentMode: vendor.followsConsentMode === true,
      }),
    ),
    version: versionOf(ctx, tenant, "script_blocking"),
  };
}

const version = z.string().max(40);
export const SwitchedBlocking = z.object({ is_on: z.boolean(), version });
export const BlockedVendorChoice = z.object({
  vendor: z.string().max(80),
  waits: z.boolean(),
  version,
});

/** Throws `conflict` when somebody else changed the setting meanwhile. */
export const switchBlocking = (
  ctx: Ctx,
  tenant: Tenant,
  { is_on: enabled, version: seen }: z.output<typeof SwitchedBlocking>,
): Promise<void> => save(ctx, tenant, seen, (setting) => ({ ...setting, enabled }));

/** Throws `conflict`, and `invalid_request` for a vendor that never waits. */
export function chooseVendor(
  ctx: Ctx,
  tenant: Tenant,
  { vendor: name, waits, version: seen }: z.output<typeof BlockedVendorChoice>,
): Promise<void> {
  const vendor = KNOWN_VENDORS.find((one) => one.name === name);
  if (!vendor || !isBlockable(vendor))
    throw new AppError("invalid_request", { fields: { vendor: "is no vendor that can wait" } });
  const isException = waits === (vendor.followsConsentMode === true);
  const list = waits ? "block" : "run";
  return save(ctx, tenant, seen, ({ enabled, run, block }) => {
    const others = {
      run: run.filter((one) => one !== name),
      block: block.filter((one) => one !== name),
    };
    return { enabled, ...others, ...(isException && { [list]: [...others[list], name] }) };
  });
}

const save = (
  ctx: Ctx,
  { shop }: Tenant,
  seen: string,
  change: (setting: ScriptBlocking) => ScriptBlocking,
): Promise<void> =>
  withTenant(ctx, shop, async ({ config }) => {
    await saveTenantConfig(
      ctx,
      shop,
      { script_blocking: change(config.script_blocking) },
      { by: "store", seen: { script_blocking: seen } },
    );
  });
