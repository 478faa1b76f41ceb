import { z } from "zod";
import { findBulkRun } from "../domain/customers/bulk/run-row.ts";
import { endpoint } from "../http/endpoint.ts";
import { TagRun } from "../http/openapi/results/extensions.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "How far a run over a segment of the store admin is.",
    auth: "staff",
    tenant: "registered",
    result: z.object({ run: TagRun }),
    async handle({ ctx, tenant, params }) {
      const run = await findBulkRun(ctx, tenant, params.id ?? "");
      if (!run) throw new AppError("not_found");
      return { run };
    },
  },
});
