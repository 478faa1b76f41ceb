import { z } from "zod";
import { MappingBody, requireMapped, saveMapping, showMapping } from "../domain/events/mappings.ts";
import { endpoint } from "../http/endpoint.ts";
import { Mapping } from "../http/openapi/results/operation.ts";
import { Ok, Timestamp } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's mapping of an entity for a destination.",
    auth: "event_admin",
    tenant: "registered",
    result: z.object({
      channel: z.string(),
      entity_type: z.string(),
      mapping: Mapping,
      updated_at: Timestamp,
    }),
    handle({ ctx, tenant, params }) {
      const { channel, entityType } = requireMapped(params.channel, params.entity_type);
      return showMapping(ctx, tenant, channel, entityType);
    },
  },
  PUT: {
    summary:
      "Replaces the store's mapping of an entity for a destination: target fields to source paths, and which must be there.",
    auth: "event_admin",
    tenant: "registered",
    body: MappingBody,
    result: Ok.extend({ channel: z.string(), entity_type: z.string(), mapping: Mapping }),
    handle({ ctx, tenant, params, body }) {
      const { channel, entityType } = requireMapped(params.channel, params.entity_type);
      return saveMapping(ctx, tenant, channel, entityType, body);
    },
  },
});
