import { z } from "zod";
import { exportConsents, listConsents } from "../domain/consent/consent-history.ts";
import { withOutcomes } from "../domain/consent/consent-outcomes.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint, plain } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { ConsentRecord } from "../http/openapi/results/consent.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The own consent log, newest first; `format=csv` is all of it; `include=outcome` says of each record whether it granted, declined or withdrew.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    query: Page.extend({
      format: z.enum(["json", "csv"]).default("json"),
      include: z.enum(["outcome"]).optional(),
    }),
    result: [z.object({ records: z.array(ConsentRecord), next_cursor: NextCursor }), "text/csv"],
    async handle({ ctx, tenant, principal, query, accessed }) {
      const userId = principal.account.id;
      if (query.format === "csv") {
        accessed({ action: "exported" });
        return plain(200, "text/csv; charset=utf-8", await exportConsents(ctx, tenant, userId), {
          "Content-Disposition": 'attachment; filename="consent-history.csv"',
          "Cache-Control": "no-store",
        });
      }
      const list = `consents/${tenant.shop}/${userId}`;
      const { records, next } = await listConsents(ctx, tenant, userId, {
        limit: query.limit,
        before: readCursor(ctx.secrets, list, query.cursor),
      });
      return {
        records:
          query.include === "outcome"
            ? await withOutcomes(dataOf(ctx, tenant).sql, records)
            : records,
        next_cursor: next === null ? null : toCursor(ctx.secrets, list, next),
      };
    },
  },
});
