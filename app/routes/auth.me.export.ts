import { compileOwnExport } from "../domain/compliance/own-data/own-export.ts";
import { endpoint, plain } from "../http/endpoint.ts";
import { OWN_EXPORT } from "../http/rate-limit.ts";
import { PersonalData } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Everything stored of the signed-in person, as a file. Needs a sign-in of the last 24 hours.",
    auth: "session",
    access: "exported",
    tenant: "registered",
    rateLimit: OWN_EXPORT,
    answers: {
      200: "The file.",
      401: "`reauth_required`: the sign-in is too old.",
      429: "More than five an hour.",
    },
    result: PersonalData,
    async handle({ ctx, tenant, principal }) {
      const document = JSON.stringify(await compileOwnExport(ctx, tenant, principal), null, 2);
      return plain(200, "application/json; charset=utf-8", document, {
        "Content-Disposition": 'attachment; filename="my-data.json"',
        "Cache-Control": "no-store",
      });
    },
  },
});
