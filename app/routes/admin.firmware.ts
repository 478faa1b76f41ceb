import { z } from "zod";
import { listFirmware } from "../domain/events/firmware.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { FirmwareEntry } from "../http/openapi/results/operation.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The firmware that the store's products carry now, in the order of the product numbers.",
    auth: "event_admin",
    tenant: "registered",
    query: Page,
    result: z.object({ firmware: z.array(FirmwareEntry), next_cursor: NextCursor }),
    async handle({ ctx, tenant, query }) {
      const list = `firmware/${tenant.shop}`;
      const { firmware, next } = await listFirmware(dataOf(ctx, tenant).prisma, {
        after: readKeyCursor(ctx.secrets, list, query.cursor),
        limit: query.limit,
      });
      return { firmware, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) };
    },
  },
});
