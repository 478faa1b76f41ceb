// A store's own shape for a destination (table `integration_mappings`): from where in the event each field comes, and
// which must be there. `{fields: {target: "source.path"}, required: [target]}`.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { ENTITY_TYPES, type EntityType } from "./event-types.ts";

/** The destinations that are shaped by a mapping. */
const MAPPED_CHANNELS = ["erp_generic"] as const;

/** What would reach behind an object instead of into it. */
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);
/** Names between dots; `[]` each element of a list, `[3]` one of it. */
const SOURCE = /^[^.[\]\s]{1,80}(\[\d{0,4}\])*(\.[^.[\]\s]{1,80}(\[\d{0,4}\])*)*$/;
const TARGET = /^[^.[\]\s]{1,80}(\[\])?(\.[^.[\]\s]{1,80}(\[\])?)*$/;

const isSafe = (path: string) => path.split(/[.[\]]+/).every((name) => !FORBIDDEN.has(name));
const path = (shape: RegExp, message: string) =>
  z.string().max(300).regex(shape, message).refine(isSafe, "names something that is no field");
const target = path(TARGET, "must be names between dots, `[]` for each element of a list");

const isWithin = (inner: string, outer: string) =>
  inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`);

export const Mapping = z
  .object({
    fields: z
      .record(target, path(SOURCE, "must be names between dots, `[]` or `[0]` after a list"))
      .refine((fields) => Object.keys(fields).length > 0, "is empty")
      .refine((fields) => Object.keys(fields).length <= 300, "has more than 300 fields"),
    required: z.array(target).max(300).default([]),
  })
  .superRefine(({ fields, required }, context) => {
    for (const [index, name] of required.entries())
      if (!Object.hasOwn(fields, name))
        context.addIssue({
          code: "custom",
          path: ["required", index],
          message: "is not one of the mapped fields",
        });
    const targets = Object.keys(fields);
    for (const name of targets)
      if (targets.some((other) => isWithin(name, other)))
        context.addIssue({
          code: "custom",
          path: ["fields", name],
          message: "lies within another field",
        });
  });
export type Mapping = z.output<typeof Mapping>;

/** The mapping itself, or under the name of its column. */
export const MappingBody = z.preprocess(
  (body) =>
    typeof body === "object" && body !== null && "mapping" in body && !("fields" in body)
      ? body.mapping
      : body,
  Mapping,
);

/** Throws 404 for a destination that takes no mapping, 400 for an entity that there is not. */
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

/** As it is stored, unread: another program may have written it. */
export async function findMapping(
  sql: TenantSql,
  channel: string,
  entityType: string,
): Promise<{ mapping: unknown; updatedAt: Date } | null> {
  const [row] = await sql<{ mapping: unknown; updated_at: Date }>(
    "SELECT mapping, updated_at FROM integration_mappings WHERE shop = $1 AND channel = $2 AND entity_type = $3",
    [channel, entityType],
  );
  return row ? { mapping: row.mapping, updatedAt: row.updated_at } : null;
}

export async function showMapping(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  entityType: EntityType,
) {
  const found = await findMapping(dataOf(ctx, tenant).sql, channel, entityType);
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

/** Replaces the whole mapping; events that come from then on are shaped by it, and dead letters when they are replayed. */
export async function saveMapping(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  entityType: EntityType,
  mapping: Mapping,
) {
  await dataOf(ctx, tenant).sql(
    `INSERT INTO integration_mappings (shop, channel, entity_type, mapping) VALUES ($1, $2, $3, $4::jsonb)
     ON CONFLICT (shop, channel, entity_type) DO UPDATE SET mapping = excluded.mapping, updated_at = now()`,
    [channel, entityType, JSON.stringify(mapping)],
  );
  ctx.log.done("mapping.saved", {
    shop: tenant.shop,
    channel,
    entity_type: entityType,
    fields: Object.keys(mapping.fields).length,
  });
  return { ok: true, channel, entity_type: entityType, mapping };
}
