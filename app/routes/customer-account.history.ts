import { z } from "zod";
import { listConsents } from "../domain/consent/consent-history.ts";
import { withOutcomes } from "../domain/consent/consent-outcomes.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { ACCOUNT_EXTENSION } from "../http/rate-limit.ts";
import { ConsentRecord } from "../http/openapi/results/consent.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The consent log of the customer, newest first, with what each record says.",
    auth: "account_token",
    access: "viewed",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION,
    query: Page,
    result: z.object({ records: z.array(ConsentRecord), next_cursor: NextCursor }),
    async handle({ ctx, tenant, principal, query }) {
      const list = `account-consents/${tenant.shop}/${principal.account.id}`;
      const { records, next } = await listConsents(ctx, tenant, principal.account.id, {
        limit: query.limit,
        before: readCursor(ctx.secrets, list, query.cursor),
      });
      return {
        records: await withOutcomes(dataOf(ctx, tenant).sql, records),
        next_cursor: next === null ? null : toCursor(ctx.secrets, list, next),
      };
    },
  },
});
