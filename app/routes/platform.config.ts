import { z } from "zod";
import {
  savePlatformConfig,
  showPlatformConfig,
} from "../domain/tenants/settings/configuration.ts";
import { fieldsBody } from "../domain/tenants/settings/field-patch.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

const EXAMPLE = { email_from: "Test Store <store@example.com>" };

export const { loader, action, route } = endpoint({
  GET: {
    summary: "What all tenants share, every credential masked.",
    auth: "platform",
    tenant: "none",
    result: z.object({
      config: z.record(z.string(), z.unknown()).meta({ examples: [EXAMPLE] }),
    }),
    handle: async ({ ctx }) => ({ config: await showPlatformConfig(ctx) }),
  },
  POST: {
    summary: "Saves what all tenants share. `null` removes a field.",
    auth: "platform",
    tenant: "none",
    body: fieldsBody(EXAMPLE),
    result: Ok,
    async handle({ ctx, body }) {
      await savePlatformConfig(ctx, body);
      return { ok: true };
    },
  },
});
