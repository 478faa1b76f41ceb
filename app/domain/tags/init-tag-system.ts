// Initialises a store's tag system in three steps, each safe to repeat (SPEC "admin/init-tag-system").
import type { Ctx } from "../../context.server.ts";
import {
  METAFIELD_DEFINITION_CREATE,
  METAFIELD_DEFINITIONS,
} from "../../integrations/storefront/documents.ts";
import { toGraphqlError } from "../../integrations/storefront/graphql-answer.ts";
import { AppError, isAppError, OutboundError, type ErrorCode } from "../../runtime/errors.ts";
import { putKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { tokenState } from "../tenants/store-access.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { createTags } from "./assignments.ts";
import { DEFAULT_TAGS } from "./catalog.ts";
import { fillCmsTags } from "./cms-tags.ts";

export const TAG_STEPS = ["backend", "storefront", "cms"] as const;
export type TagStep = (typeof TAG_STEPS)[number];

export type Counts = { created: number; existing: number };
export type StepResult = { ok: true; step: TagStep } & Counts;
type FailedStep = {
  ok: false;
  step: TagStep;
  error: { code: ErrorCode; message: string; fields?: Record<string, string> };
} & Counts;

const STEPS: Record<TagStep, (ctx: Ctx, tenant: Tenant) => Promise<Counts>> = {
  backend: seedDefaults,
  storefront: defineMetafields,
  cms: fillCms,
};

/** Throws `setting_missing`, or the 502 of the failing system. */
export async function initTagStep(ctx: Ctx, tenant: Tenant, step: TagStep): Promise<StepResult> {
  const counts = await STEPS[step](ctx, tenant);
  await putKey(dataOf(ctx, tenant).sql, KEYS.tagStep(step), { at: ctx.clock.now().toISOString() });
  ctx.log.info("tag_system.prepared", { shop: tenant.shop, step, ...counts });
  return { ok: true, step, ...counts };
}

/** Runs all three; one that cannot run stops no other. `ok` only when all succeeded. */
export async function initTagSystem(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ ok: boolean; step: "all"; steps: (StepResult | FailedStep)[] } & Counts> {
  const steps: (StepResult | FailedStep)[] = [];
  for (const step of TAG_STEPS)
    steps.push(
      await initTagStep(ctx, tenant, step).catch((error: unknown) => toFailedStep(step, error)),
    );
  const sum = (name: keyof Counts) => steps.reduce((total, result) => total + result[name], 0);
  return {
    ok: steps.every(({ ok }) => ok),
    step: "all",
    created: sum("created"),
    existing: sum("existing"),
    steps,
  };
}

function toFailedStep(step: TagStep, error: unknown): FailedStep {
  const known =
    error instanceof OutboundError
      ? new AppError("storefront_unavailable", { message: error.message })
      : error;
  if (!isAppError(known)) throw error;
  return {
    ok: false,
    step,
    created: 0,
    existing: 0,
    error: {
      code: known.code,
      message: known.message,
      ...(known.fields && { fields: known.fields }),
    },
  };
}

async function seedDefaults(ctx: Ctx, tenant: Tenant): Promise<Counts> {
  const created = await createTags(dataOf(ctx, tenant).sql, DEFAULT_TAGS);
  return { created: created.length, existing: DEFAULT_TAGS.length - created.length };
}

const NAMESPACE = "custom";
const DEFINITIONS = [
  { key: "crm_status", name: "CRM status", type: "single_line_text_field" },
  { key: "crm_tier", name: "CRM tier", type: "single_line_text_field" },
  { key: "crm_segment", name: "CRM segment", type: "single_line_text_field" },
  { key: "crm_tags", name: "CRM tags", type: "list.single_line_text_field" },
  { key: "crm_consent_marketing", name: "CRM marketing consent", type: "boolean" },
  { key: "crm_consent_tos", name: "CRM terms consent", type: "boolean" },
] as const;

type Defined = {
  metafieldDefinitions: { nodes: { key: string; type: { name: string } }[] } | null;
};

async function defineMetafields(ctx: Ctx, tenant: Tenant): Promise<Counts> {
  const state = tokenState(tenant);
  if (state === "reauth_required") throw new AppError("not_installed");
  if (state === "none")
    throw new AppError("setting_missing", {
      message: "The app is not installed in the store: there is no admin access token.",
      fields: { storefront_admin_token: "is missing" },
    });
  const { metafieldDefinitions } = await callAdminApi<Defined>(ctx, tenant.shop, {
    document: METAFIELD_DEFINITIONS,
    variables: { namespace: NAMESPACE, first: 250 },
    isLookUp: true,
  });
  const nodes = metafieldDefinitions?.nodes ?? [];
  const known = new Map(nodes.map(({ key, type }) => [key, type.name]));
  const clash = DEFINITIONS.find(({ key, type }) => known.has(key) && known.get(key) !== type);
  if (clash)
    throw new AppError("conflict", {
      message: `The store defines the metafield ${NAMESPACE}.${clash.key} as ${known.get(clash.key)}; it must be ${clash.type}.`,
    });
  let created = 0;
  for (const definition of DEFINITIONS)
    if (!known.has(definition.key) && (await createDefinition(ctx, tenant, definition)))
      created += 1;
  return { created, existing: DEFINITIONS.length - created };
}

/** False when another run created it meanwhile. */
async function createDefinition(
  ctx: Ctx,
  tenant: Tenant,
  definition: (typeof DEFINITIONS)[number],
): Promise<boolean> {
  const variables = { definition: { ...definition, namespace: NAMESPACE, ownerType: "CUSTOMER" } };
  const { metafieldDefinitionCreate: answer } = await callAdminApi<{
    metafieldDefinitionCreate: { userErrors?: UserError[] } | null;
  }>(ctx, tenant.shop, { document: METAFIELD_DEFINITION_CREATE, variables });
  if (!answer) throw toGraphqlError("the storefront", []);
  if (answer.userErrors?.some(({ code }) => code === "TAKEN")) return false;
  requireNoUserErrors("metafieldDefinitionCreate", answer.userErrors);
  return true;
}

async function fillCms(ctx: Ctx, tenant: Tenant): Promise<Counts> {
  // The items' ids are stored in these rows.
  await seedDefaults(ctx, tenant);
  try {
    return await fillCmsTags(ctx, tenant);
  } catch (error) {
    if (error instanceof OutboundError)
      throw new AppError("cms_unavailable", {
        message: `${error.message}${error.body ? `: ${error.body.slice(0, 300)}` : ""}`,
      });
    throw error;
  }
}
