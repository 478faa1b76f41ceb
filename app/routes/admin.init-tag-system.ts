import { z } from "zod";
import { matchTagsAtOnce } from "../domain/customers/tag-matching/match-tags.ts";
import { runChangedRules } from "../domain/customers/system-tags/rule-run.ts";
import { initTagStep, initTagSystem, TAG_STEPS } from "../domain/tags/init-tag-system.ts";
import { endpoint } from "../http/endpoint.ts";
import { TagStep, TagSteps } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Prepares the tag system: the default tags, the storefront's metafield definitions, the CMS collection. Safe to repeat.",
    auth: "admin",
    tenant: "registered",
    query: z.object({ step: z.enum(TAG_STEPS).optional() }),
    answers: {
      200: "`{ok, step, created, existing}`; without `step` the sums and `steps`, one result each.",
      409: "A setting that the step needs is missing.",
    },
    result: z.union([TagStep, TagSteps]),
    async handle({ ctx, tenant, query }) {
      const result = query.step
        ? await initTagStep(ctx, tenant, query.step)
        : await initTagSystem(ctx, tenant);
      await matchTagsAtOnce(ctx, tenant);
      await runChangedRules(ctx, tenant);
      return result;
    },
  },
});
