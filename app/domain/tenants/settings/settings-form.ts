// A table of fields as a form: each field's editor, saved value (masked), inherited value, and
// permission. Derived from the table, so a new setting appears without further code.
import type { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { isAppError } from "../../../runtime/errors.ts";
import {
  saveTenantConfig,
  savePlatformConfig,
  showPlatformConfig,
  showSavedFields,
} from "./configuration.ts";
import { showHosts, type HostsView } from "../public-hosts.ts";
import type { FieldTable } from "./field-patch.ts";
import { PLATFORM_FIELDS } from "./platform-config.ts";
import {
  isErpField,
  isTenantField,
  tenantField,
  tenantFieldNames,
  type Section,
} from "../tenant-config.ts";
import { getTenant, type Tenant } from "../tenant.ts";

type FieldKind =
  "text" | "secret" | "number" | "switch" | "choice" | "choices" | "list" | "group" | "routes";

export type FormField = {
  name: string;
  label: string;
  kind: FieldKind;
  /** Options of `choice` and `choices`; members of a `group`. */
  options: string[];
  /** The saved value; masked for a secret, null when nothing is saved. */
  value: unknown;
  /**
   * The value that applies while nothing is saved: the platform's or the default; of a secret only
   * that there is one.
   */
  instead: unknown;
  isReadOnly: boolean;
};

type FormSection = {
  name: Section;
  fields: FormField[];
  /** Systems whose connection can be tested from this section. */ tests: string[];
};
export type SettingsForm = {
  shop: string;
  sections: FormSection[];
  /** The state of the listed public hosts, and how to prove the others. */
  hosts: HostsView;
};

/** `problems`: a field's name to its error. */
export type SaveResult =
  { outcome: "saved" } | { outcome: "refused"; message: string; problems: Record<string, string> };

/** The most used sections come first. */
const ORDER: readonly Section[] = [
  "brand",
  "sign_in",
  "consent",
  "agents",
  "email",
  "cms",
  "analytics",
  "profile",
  "erp",
  "retail",
  "warehouse",
  "bus",
  "store",
  "retention",
  "security",
];

/** Set by the install, and not editable. */
const FIXED: ReadonlySet<string> = new Set(["storefront_store_domain"]);

export async function readSettingsForm(
  ctx: Ctx,
  shop: string,
  isPlatform: boolean,
): Promise<SettingsForm> {
  const tenant = await getTenant(ctx, shop);
  const saved = await showSavedFields(ctx, shop);
  const sections = new Map<Section, FormSection>();
  for (const name of tenantFieldNames.filter((one) => isOffered(tenant, one))) {
    const field = tenantField(name);
    const section = sections.get(field.section) ?? {
      name: field.section,
      fields: [],
      tests: testsOf(ctx, tenant, field.section),
    };
    sections.set(field.section, section);
    const instead = name in saved ? null : tenant.config[name];
    section.fields.push(
      toFormField(
        name,
        field,
        saved[name],
        field.secret && instead !== undefined && instead !== null ? true : instead,
        FIXED.has(name) || (field.platformOnly === true && !isPlatform),
      ),
    );
  }
  return {
    shop,
    hosts: await showHosts(ctx, shop),
    sections: [...sections.values()].toSorted(
      (a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name),
    ),
  };
}

/**
 * A store with the role `shared` has neither ERP settings nor event routes of its own (SPEC "Stakeholder
 * access").
 */
const isOffered = (tenant: Tenant, name: string) =>
  tenant.config.access_role !== "shared" ||
  !isTenantField(name) ||
  (tenantField(name).section !== "bus" && !isErpField(name));

function testsOf(ctx: Ctx, tenant: Tenant, section: Section): string[] {
  if (section === "store") return ["storefront"];
  if (section === "email") return ["email"];
  if (tenant.config.access_role === "shared") return [];
  return ctx.channels
    .filter(
      ({ probe, isDestination, credentialsKey }) =>
        probe &&
        isDestination &&
        credentialsKey !== null &&
        isTenantField(credentialsKey) &&
        tenantField(credentialsKey).section === section,
    )
    .map(({ name }) => name);
}

export async function readPlatformForm(ctx: Ctx, isPlatform: boolean): Promise<FormField[]> {
  const saved = await showPlatformConfig(ctx);
  return Object.entries(PLATFORM_FIELDS as FieldTable).map(([name, field]) =>
    toFormField(name, field, saved[name], null, !isPlatform),
  );
}

function toFormField(
  name: string,
  field: FieldTable[string],
  value: unknown,
  instead: unknown,
  isReadOnly: boolean,
): FormField {
  return {
    name,
    label: field.label,
    ...(field.secret ? { kind: "secret", options: [] } : shapeOf(field.schema)),
    value: value ?? null,
    instead: instead ?? null,
    isReadOnly,
  };
}

type Def = {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  entries?: Record<string, string>;
};

function shapeOf(schema: z.ZodType): { kind: FieldKind; options: string[] } {
  const def = schema.def as Def;
  const inner = def.innerType ?? (def.type === "pipe" ? def.in : undefined);
  if (inner) return shapeOf(inner);
  if (def.type === "boolean") return { kind: "switch", options: [] };
  if (def.type === "number") return { kind: "number", options: [] };
  if (def.type === "enum") return { kind: "choice", options: Object.values(def.entries ?? {}) };
  if (def.type === "object") return { kind: "group", options: Object.keys(def.shape ?? {}) };
  if (def.type !== "array" || !def.element) return { kind: "text", options: [] };
  const element = shapeOf(def.element);
  if (element.kind === "choice") return { kind: "choices", options: element.options };
  return { kind: element.kind === "group" ? "routes" : "list", options: element.options };
}

/** Saves a posted form: JSON of the changed fields. A rejection is a result that the form shows. */
export async function saveSettings(
  ctx: Ctx,
  shop: string,
  posted: unknown,
  isPlatform: boolean,
): Promise<SaveResult> {
  const tenant = await getTenant(ctx, shop);
  return take(posted, async (fields) => {
    const hidden = Object.keys(fields).filter((name) => !isOffered(tenant, name));
    if (hidden.length > 0)
      return {
        outcome: "refused",
        message: "Some of these settings are not for this store.",
        problems: Object.fromEntries(hidden.map((name) => [name, "is not for shared stores"])),
      };
    await saveTenantConfig(ctx, shop, fields, isPlatform);
    return { outcome: "saved" };
  });
}

export async function savePlatformSettings(ctx: Ctx, posted: unknown): Promise<SaveResult> {
  return take(posted, async (fields) => {
    await savePlatformConfig(ctx, fields);
    return { outcome: "saved" };
  });
}

async function take(
  posted: unknown,
  save: (fields: Record<string, unknown>) => Promise<SaveResult>,
): Promise<SaveResult> {
  try {
    const fields: unknown = JSON.parse(typeof posted === "string" ? posted : "");
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return MALFORMED;
    return await save(fields as Record<string, unknown>);
  } catch (error) {
    if (error instanceof SyntaxError) return MALFORMED;
    if (!isAppError(error) || error.status >= 500) throw error;
    return { outcome: "refused", message: error.message, problems: error.fields ?? {} };
  }
}

const MALFORMED: SaveResult = {
  outcome: "refused",
  message: "The form could not be read. Reload the page.",
  problems: {},
};
