import { z } from "zod";
import { placeStore } from "../domain/tenants/moves/place-store.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { StoreMove } from "../http/openapi/results/operation.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

const Placed = Ok.extend({ shop: z.string(), region: z.string(), tables: z.int() });

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Creates the tables in a region's database and assigns the tenant to it. A store with rows is moved.",
    auth: "admin",
    tenant: "registered",
    body: z.object({ region: z.string().regex(/^[a-z0-9-]{1,40}$/, "must be a region name") }),
    answers: {
      200: "The store is there, with all its rows.",
      202: "The store's rows are being moved; `move` says how far it is.",
      409: "The store has rows that cannot be moved; `missing` says what to set.",
    },
    result: { 200: Placed, 202: Placed.extend({ move: StoreMove }) },
    async handle({ ctx, shop, body, principal }) {
      if (principal.kind !== "platform_key")
        throw new AppError("forbidden", { message: "Only the platform's key may place a tenant." });
      const { tables, move } = await placeStore(ctx, shop, body.region);
      const placed = { ok: true, shop, region: body.region, tables };
      return move && move.state !== "done" ? json(202, { ...placed, move }) : placed;
    },
  },
});
