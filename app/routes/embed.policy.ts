import { z } from "zod";
import { findPolicyInForce } from "../domain/consent/show-policy.ts";
import { renderPolicyPage } from "../embeds/policy-page.ts";
import { lookOf } from "../embeds/public-config.ts";
import { plain } from "../http/api-response.ts";
import { PAGE_HEADERS } from "../http/cors.ts";
import { endpoint } from "../http/endpoint.ts";
import { POLICY_READ } from "../http/rate-limit.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The published text of the policy version that new consents name.",
    auth: "none",
    tenant: "registered",
    rateLimit: POLICY_READ,
    query: z.object({ locale: z.string().max(35).optional() }),
    answers: { 200: "A page, in the language nearest to `locale`." },
    result: "text/html",
    async handle({ ctx, tenant, query }) {
      const locale = query.locale ?? tenant.config.locale;
      const policy = await findPolicyInForce(ctx, tenant, locale);
      if (!policy) throw new AppError("not_found");
      return plain(
        200,
        "text/html; charset=utf-8",
        renderPolicyPage(lookOf(tenant, locale), policy),
        { ...PAGE_HEADERS, "Cache-Control": "no-cache" },
      );
    },
  },
});
