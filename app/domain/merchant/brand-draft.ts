// The brand settings as they are being typed, for the preview: nothing is saved.
import { z } from "zod";
import {
  defaultFields,
  tenantField,
  type TenantConfig,
  type TenantFieldName,
} from "../tenants/tenant-config.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** What a shopper's page shows of its store's settings. */
const SHOWN = [
  "brand_name",
  "logo_url",
  "brand_color",
  "brand_background",
  "brand_corner_radius",
  "brand_font",
  "locale",
] as const satisfies readonly TenantFieldName[];

export const BrandPreviewInput = z.object({
  /** The changed settings; null for one that is emptied. */
  fields: z.record(z.string().max(60), z.unknown()),
  scheme: z.enum(["light", "dark"]),
});

/** The store with the draft's values. A value that could not be saved leaves the saved one. */
export function withBrandDraft(
  tenant: Tenant,
  fields: z.output<typeof BrandPreviewInput>["fields"],
): Tenant {
  const defaults = defaultFields();
  const changed = SHOWN.filter((name) => Object.hasOwn(fields, name)).flatMap((name) => {
    if (fields[name] === null) return [[name, defaults[name]]];
    const parsed = tenantField(name).schema.safeParse(fields[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  const draft = Object.fromEntries(changed) as Partial<TenantConfig>;
  return { ...tenant, config: { ...tenant.config, ...draft } };
}
