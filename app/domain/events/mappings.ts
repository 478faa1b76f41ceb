// A store's own field mapping for a destination (table `integration_mappings`): the source of each
// target field, and which fields are required. `{fields: {target: "source.path"}, required: [target]}`.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantData } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { ENTITY_TYPES, type EntityType } from "./event-types.ts";

/** The destinations that accept a mapping. */
const MAPPED_CHANNELS = ["erp_generic"] as const;

/** Names that would reach an object's prototype. */
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);
/** Names between dots; `[]` each element of a list, `[3]` one element. */
const SOURCE = /^[^.[\]\s]{1,80}(\[\d{0,4}\])*(\.[^.[\]\s]{1,80}(\[\d{0,4}\])*)*$/;
const TARGET = /^[^.[\]\s]{1,80}(\[\])?(\.[^.[\]\s]{1,80}(\[\])?)*$/;

const isSafe = (path: string) => path.split(/[.[\]]+/).every((name) => !FORBIDDEN.has(name));
const path = (shape: RegExp, message: string) =>
  z.string().max(300).regex(shape, message).refine(isSafe, "names something that is no field");
const target = path(TARGET, "must be names between dots, `[]` for each element of a list");

const isWithin = (inner: string, outer: string) =>
  inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`);

/**
 * As another program may have stored it: a required field that nothing fills is missing in every event, and
 * the dead letter names it.
 */
export const StoredMapping = z
  .object({
    fields: z
      .record(target, path(SOURCE, "must be names between dots, `[]` or `[0]` after a list"))
      .refine((fields) => Object.keys(fields).length > 0, "is empty")
      .refine((fields) => Object.keys(fields).length <= 300, "has more than 300 fields"),
    required: z.array(target).max(300).default([]),
  })
  .superRefine(({ fields }, context) => {
    const targets = Object.keys(fields);
    for (const name of targets)
      if (targets.some((other) => isWithin(name, other)))
        context.addIssue({
          code: "custom",
          path: ["fields", name],
          message: "lies within another field",
        });
  });

export const Mapping = StoredMapping.superRefine(({ fields, required }, context) => {
  for (const [index, name] of required.entries())
    if (!Object.hasOwn(fields, name))
      context.addIssue({
        code: "custom",
        path: ["required", index],
        message: "is not one of the mapped fields",
      });
});
export type Mapping = z.output<typeof Mapping>;

/** The mapping itself, or wrapped under the name of its column. */
export const MappingBody = z.preprocess(
  (body) =>
    typeof body === "object" && body !== null && "mapping" in body && !("fields" in body)
      ? body.mapping
      : body,
  Mapping,
);

/** Throws 404 for a destination without mappings, 400 for an unknown entity. */
export function requireMapped(
  channel: string | undefined,
  entityType: string | undefined,
): { channel: string; entityType: EntityType } {
  if (!MAPPED_CHANNELS.some((name) => name === channel))
    throw new AppError("not_found", {
      message: `Mappings are kept for ${MAPPED_CHANNELS.join(", ")}.`,
    });
  const known = ENTITY_TYPES.find((type) => type === entityType);
  if (!known)
    throw new AppError("invalid_request", {
      fields: { entity_type: `must be one of ${ENTITY_TYPES.join(", ")}` },
    });
  return { channel: channel as string, entityType: known };
}

/** Returns the stored value without validation: another program may have written it. */
export async function findMapping(
  { shop, prisma }: TenantData,
  channel: string,
  entityType: string,
): Promise<{ mapping: unknown; updatedAt: Date } | null> {
  const row = await prisma.integrationMapping.findUnique({
    where: { shop_channel_entity_type: { shop, channel, entity_type: entityType } },
  });
  return row ? { mapping: row.mapping, updatedAt: row.updated_at } : null;
}

export async function showMapping(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  entityType: EntityType,
) {
  const found = await findMapping(dataOf(ctx, tenant), channel, entityType);
  if (!found)
    throw new AppError("not_found", {
      message: `There is no mapping for ${channel}/${entityType}.`,
    });
  return {
    channel,
    entity_type: entityType,
    mapping: found.mapping,
    updated_at: found.updatedAt.toISOString(),
  };
}

/**
 * Replaces the whole mapping. It applies to events that arrive later, and to dead letters when they
 * are replayed.
 */
export async function saveMapping(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  entityType: EntityType,
  mapping: Mapping,
) {
  const key = { shop: tenant.shop, channel, entity_type: entityType };
  await dataOf(ctx, tenant).prisma.integrationMapping.upsert({
    where: { shop_channel_entity_type: key },
    create: { ...key, mapping },
    update: { mapping },
  });
  ctx.log.info("mapping.saved", {
    shop: tenant.shop,
    channel,
    entity_type: entityType,
    fields: Object.keys(mapping.fields).length,
  });
  return { ok: true, channel, entity_type: entityType, mapping };
}
