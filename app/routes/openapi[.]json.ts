import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { buildOpenApi } from "../http/openapi/build-openapi.ts";
import { loadRoutes } from "../http/route-table.ts";
import { VERSION } from "../runtime/version.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "This document.",
    auth: "none",
    tenant: "none",
    result: z.looseObject({ openapi: z.string() }),
    handle: async ({ ctx }) =>
      buildOpenApi(await loadRoutes(), { baseUrl: ctx.baseUrl, version: VERSION }),
  },
});
