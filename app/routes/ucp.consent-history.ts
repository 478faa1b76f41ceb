import { z } from "zod";
import { exportConsents, listConsents } from "../domain/consent/consent-history.ts";
import { endpoint, plain } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The own consent log, newest first; `format=csv` is all of it.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    query: Page.extend({ format: z.enum(["json", "csv"]).default("json") }),
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
      return { records, next_cursor: next === null ? null : toCursor(ctx.secrets, list, next) };
    },
  },
});
