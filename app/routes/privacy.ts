import { z } from "zod";
import { readPrivacyPolicy } from "../domain/compliance/privacy-policy.ts";
import { renderPrivacyPage } from "../embeds/privacy-page.ts";
import { lookOf } from "../embeds/public-config.ts";
import { plain } from "../http/api-response.ts";
import { PAGE_HEADERS } from "../http/cors.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The privacy policy: what is processed, why, how long, and who receives it.",
    auth: "none",
    tenant: "optional",
    query: z.object({ locale: z.string().max(35).optional() }),
    answers: { 200: "A page, with the periods of the store where one is named." },
    result: "text/html",
    handle: async ({ ctx, tenant, query }) =>
      plain(
        200,
        "text/html; charset=utf-8",
        renderPrivacyPage(
          await readPrivacyPolicy(ctx, tenant),
          query.locale ?? tenant?.config.locale ?? "en",
          tenant && lookOf(tenant),
        ),
        { ...PAGE_HEADERS, "Cache-Control": "no-cache" },
      ),
  },
});
