// Rules between fields of a store's configuration, checked on the configuration after a save.
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../runtime/errors.ts";
import { sameProblem, type FieldProblem } from "../../../runtime/field-problem.ts";
import type { SettingsActor } from "../admin-key.ts";
import type { FieldPatch } from "./field-patch.ts";
import { isBusField, isErpField, isTenantField, type TenantConfig } from "../tenant-config.ts";
import type { Tenant } from "../tenant.ts";

/** Throws 400 or 403 with the invalid fields. */
export function requireFittingFields(
  shop: string,
  tenant: Tenant | null,
  patch: FieldPatch,
  { by }: { by: SettingsActor },
): void {
  const { set, remove } = patch;
  if (set.storefront_store_domain !== undefined && set.storefront_store_domain !== shop)
    throw new AppError("invalid_request", {
      fields: { storefront_store_domain: "must be the store that is being configured" },
    });
  refuseErpForShared(set, tenant?.config.access_role);
  if (tenant?.config.access_role === "shared" && by === "store") refuseRoutes(tenant, patch);
  const next: Record<string, unknown> = { ...tenant?.saved, ...set };
  for (const name of remove) delete next[name];
  requireDropKeys(next);
}

export const NOT_FOR_SHARED: FieldProblem = {
  code: "sharedStore",
  reason: "is not for shared stores",
};

/** A `shared` store has no ERP settings, own or shared (DECISIONS 10). */
function refuseErpForShared(
  set: Record<string, unknown>,
  currentRole: TenantConfig["access_role"] | undefined,
): void {
  const erp = Object.keys(set).filter(isErpField);
  if ((set.access_role ?? currentRole) !== "shared" || erp.length === 0) return;
  throw new AppError("forbidden", {
    message: "A store with the access role `shared` has no ERP credentials.",
    ...sameProblem(erp, NOT_FOR_SHARED),
  });
}

/** A `shared` store does not choose where its events go. A form may send back what it was shown. */
function refuseRoutes({ config, saved }: Tenant, { set, remove }: FieldPatch): void {
  const changed = [
    ...Object.keys(set).filter(
      (name) => isTenantField(name) && !isDeepStrictEqual(set[name], config[name]),
    ),
    ...remove.filter((name) => saved[name] !== undefined),
  ].filter(isBusField);
  if (changed.length === 0) return;
  throw new AppError("forbidden", {
    message: "A store with the access role `shared` has no event routes and destinations.",
    ...sameProblem(changed, NOT_FOR_SHARED),
  });
}

const DROP_KEYS = [
  "retail_analytics_a_access_key_id",
  "retail_analytics_a_secret_access_key",
] as const;

/**
 * A bucket is written with the store's own keys: the service's identity may have access to other
 * buckets.
 */
function requireDropKeys(next: Record<string, unknown>): void {
  const url = next.retail_analytics_a_url;
  if (typeof url !== "string" || !url.startsWith("s3:")) return;
  const missing = DROP_KEYS.filter((name) => next[name] === undefined);
  if (missing.length > 0)
    throw new AppError(
      "invalid_request",
      sameProblem(missing, {
        code: "bucketKey",
        reason: "is needed for an s3:// address; or use an https:// folder that takes PUT",
      }),
    );
}
