// The settings as forms: each field's editor, saved value (masked), inherited value, and permission.
// Derived from the table of fields and the list of pages, so a new setting appears without further
// code.
import type { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError, isAppError } from "../../../runtime/errors.ts";
import {
  maskSavedFields,
  saveTenantConfig,
  savePlatformConfig,
  showPlatformConfig,
} from "./configuration.ts";
import { sameProblem, type FieldProblemCode } from "../../../runtime/field-problem.ts";
import type { SettingsActor } from "../admin-key.ts";
import { showHosts, type HostsView } from "../public-hosts.ts";
import type { FieldTable } from "./field-patch.ts";
import { color } from "./field-schemas.ts";
import { NOT_FOR_SHARED } from "./field-rules.ts";
import { PLATFORM_FIELDS } from "./platform-config.ts";
import {
  findFormPage,
  SETTINGS_PAGES,
  type FormPageName,
  type SettingsCard,
  type SettingsCardName,
  type SettingsPageName,
} from "./settings-pages.ts";
import { versionOf, type FieldVersions } from "./field-versions.ts";
import { isBusField, isErpField, tenantField, type TenantFieldName } from "../tenant-config.ts";
import { getTenant, withTenant, type Tenant } from "../tenant.ts";

export type FieldKind =
  | "text"
  | "color"
  | "secret"
  | "number"
  | "switch"
  | "choice"
  | "choices"
  | "list"
  | "group"
  | "routes";

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
  fallback: unknown;
  isReadOnly: boolean;
  /** The version of the saved value (field-versions.ts). */
  version?: string;
};

export type FormCard = {
  name: SettingsCardName;
  fields: FormField[];
  /** The system whose connection can be tested from this card. */
  test: string | null;
};
type FormPage = { name: SettingsPageName; cards: FormCard[] };
export type SettingsForm = {
  shop: string;
  pages: FormPage[];
  /** The state of the listed public hosts, and how to prove the others. */
  hosts: HostsView;
};

/** `problems`: a field's name to its reason in English; `codes`: to what the form says. */
export type SaveResult =
  | { outcome: "saved" }
  | {
      outcome: "refused";
      message: string;
      problems: Record<string, string>;
      codes: Record<string, FieldProblemCode>;
    };

/** Set by the install, and not editable. */
const FIXED: ReadonlySet<string> = new Set(["storefront_store_domain"]);

/** Every setting of a store, page by page. */
export async function readSettingsForm(
  ctx: Ctx,
  shop: string,
  asked: { by: SettingsActor },
): Promise<SettingsForm> {
  const tenant = await getTenant(ctx, shop);
  // The region rules and the scripts that wait are edited on screens of their own only.
  const pages = SETTINGS_PAGES.filter(({ name }) => name !== "regions" && name !== "scripts").map(
    ({ name, cards }) => ({
      name,
      cards: toFormCards(ctx, tenant, cards, asked),
    }),
  );
  return {
    shop,
    hosts: await showHosts(ctx, shop),
    pages: pages.filter(({ cards }) => cards.length > 0),
  };
}

/** A page of the settings inside the store admin; null when there is no such form. */
export async function readPageForm(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
): Promise<{ name: FormPageName; cards: FormCard[]; hosts: HostsView | null } | null> {
  const page = findFormPage(name);
  if (!page) return null;
  const cards = toFormCards(ctx, tenant, page.cards, { by: "store" });
  const hasHosts = page.cards.some(({ fields }) => fields.includes("public_hosts"));
  return {
    name: page.name,
    cards,
    hosts: hasHosts ? await showHosts(ctx, tenant.shop) : null,
  };
}

/** The cards with the fields that the store has. */
export function toFormCards(
  ctx: Ctx,
  tenant: Tenant,
  cards: readonly SettingsCard[],
  { by }: { by: SettingsActor },
): FormCard[] {
  const saved = maskSavedFields(tenant);
  return cards
    .map(({ name, fields, test = null }) => ({
      name,
      test,
      fields: fields
        .filter((field) => isOffered(tenant, field))
        .map((field) => toTenantField(ctx, tenant, saved, field, by)),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function toTenantField(
  ctx: Ctx,
  tenant: Tenant,
  saved: Record<string, unknown>,
  name: TenantFieldName,
  by: SettingsActor,
): FormField {
  const field = tenantField(name);
  const inherited = name in saved ? null : (tenant.config[name] ?? null);
  return {
    ...toFormField(name, field, {
      value: saved[name],
      fallback: field.secret && inherited !== null ? true : inherited,
      isReadOnly: FIXED.has(name) || (field.platformOnly === true && by === "store"),
    }),
    version: versionOf(ctx, tenant, name),
  };
}

/**
 * A store with the role `shared` has neither ERP settings nor event routes of its own (SPEC "Stakeholder
 * access").
 */
const isOffered = (tenant: Tenant, name: string) =>
  tenant.config.access_role !== "shared" || !(isBusField(name) || isErpField(name));

export async function readPlatformForm(ctx: Ctx, isPlatform: boolean): Promise<FormField[]> {
  const saved = await showPlatformConfig(ctx);
  return Object.entries(PLATFORM_FIELDS as FieldTable).map(([name, field]) =>
    toFormField(name, field, { value: saved[name], fallback: null, isReadOnly: !isPlatform }),
  );
}

function toFormField(
  name: string,
  field: FieldTable[string],
  { value, fallback, isReadOnly }: Pick<FormField, "fallback" | "isReadOnly"> & { value: unknown },
): FormField {
  return {
    name,
    label: field.label,
    ...(field.secret ? { kind: "secret", options: [] } : shapeOf(field.schema)),
    value: value ?? null,
    fallback,
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
  if (schema === color) return { kind: "color", options: [] };
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

/** The posted form: JSON of the changed fields, and the versions that they had when they were shown. */
export type PostedForm = { fields: unknown; versions?: FieldVersions | undefined };

type SaveOptions = {
  by: SettingsActor;
  /** Further fields that the change of the posted ones brings with it. */
  alongWith?: (tenant: Tenant, fields: Record<string, unknown>) => object;
};

/** Saves a posted form. A rejection is a result that the form shows. */
export async function saveSettings(
  ctx: Ctx,
  shop: string,
  { fields: posted, versions }: PostedForm,
  { by, alongWith }: SaveOptions,
): Promise<SaveResult> {
  return take(posted, (fields) =>
    withTenant(ctx, shop, async (tenant): Promise<SaveResult> => {
      const hidden = Object.keys(fields).filter((name) => !isOffered(tenant, name));
      if (hidden.length > 0)
        throw new AppError("forbidden", {
          message: "Some of these settings are not for this store.",
          ...sameProblem(hidden, NOT_FOR_SHARED),
        });
      const all = { ...fields, ...alongWith?.(tenant, fields) };
      await saveTenantConfig(ctx, shop, all, { by, seen: versions });
      return { outcome: "saved" };
    }),
  );
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
    const { message, fields = {}, fieldCodes = {} } = error;
    return { outcome: "refused", message, problems: fields, codes: fieldCodes };
  }
}

const MALFORMED: SaveResult = {
  outcome: "refused",
  message: "The form could not be read. Reload the page.",
  problems: {},
  codes: {},
};
