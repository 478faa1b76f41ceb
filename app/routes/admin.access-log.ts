import { z } from "zod";
import { listAccesses } from "../domain/compliance/access-log/read-access-log.ts";
import { ACCESS_ACTIONS, ACTOR_KINDS } from "../domain/compliance/access-log/record-access.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { NextCursor, Timestamp } from "../http/openapi/results/outcome.ts";

const MAX_CUSTOMER_ID = 2_147_483_647;

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Who looked at, listed, exported, changed or erased customers' data, newest first; `customer` names one by id. Holds ids only.",
    auth: "admin",
    tenant: "registered",
    query: Page.extend({
      customer: z
        .string()
        .regex(/^[1-9]\d{0,9}$/, "must be a customer's id")
        .transform(Number)
        .pipe(z.number().max(MAX_CUSTOMER_ID, "must be a customer's id"))
        .optional(),
    }),
    result: z.object({
      entries: z.array(
        z.object({
          id: z.int(),
          actor_kind: z.enum(ACTOR_KINDS),
          actor_id: z.string().nullable(),
          action: z.enum(ACCESS_ACTIONS),
          user_id: z.int().nullable(),
          count: z.int().nullable(),
          place: z.string(),
          request_id: z.string(),
          created_at: Timestamp,
        }),
      ),
      next_cursor: NextCursor,
    }),
    async handle({ ctx, tenant, query }) {
      const list = `access-log/${tenant.shop}/${query.customer ?? ""}`;
      const { entries, next } = await listAccesses(ctx, tenant, {
        userId: query.customer ?? null,
        limit: query.limit,
        before: readCursor(ctx.secrets, list, query.cursor),
      });
      return { entries, next_cursor: next === null ? null : toCursor(ctx.secrets, list, next) };
    },
  },
});
