import { z } from "zod";
import { provisionRegion } from "../domain/tenants/regions.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Creates the tables in a region's database and assigns the tenant to it.",
    auth: "admin",
    tenant: "registered",
    body: z.object({ region: z.string().regex(/^[a-z0-9-]{1,40}$/, "must be a region name") }),
    result: Ok.extend({ shop: z.string(), region: z.string(), tables: z.int() }),
    async handle({ ctx, shop, body, principal }) {
      if (principal.kind !== "platform_key")
        throw new AppError("forbidden", { message: "Only the platform's key may place a tenant." });
      const { tables } = await provisionRegion(ctx, shop, body.region);
      return { ok: true, shop, region: body.region, tables };
    },
  },
});
