import { z } from "zod";
import { PolicyInput, publishPolicy } from "../domain/consent/policies.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Publishes a policy's text under its version; a version's text never changes.",
    auth: "admin",
    tenant: "registered",
    body: PolicyInput,
    result: Ok.extend({ version: z.string(), locale: z.string(), sha256: z.string() }),
    async handle({ ctx, tenant, body }) {
      const { sha256, isStored } = await publishPolicy(dataOf(ctx, tenant), body);
      if (!isStored)
        throw new AppError("conflict", {
          message: "This version was published with another text. Choose a new version.",
        });
      return { ok: true, version: body.version, locale: body.locale, sha256 };
    },
  },
});
