// The OpenAPI document of this process. Built once: that takes tens of milliseconds of processor
// time, and anybody may ask for it.
import type { Ctx } from "../../context.server.ts";
import { VERSION } from "../../runtime/version.ts";
import { loadRoutes } from "../route-table.ts";
import { buildOpenApi } from "./build-openapi.ts";

const documents = new WeakMap<Ctx, Promise<object>>();

export function serviceDocument(ctx: Ctx): Promise<object> {
  const known = documents.get(ctx);
  if (known) return known;
  const built = loadRoutes().then((routes) =>
    buildOpenApi(routes, { baseUrl: ctx.baseUrl, version: VERSION }),
  );
  documents.set(ctx, built);
  return built;
}
