import { z } from "zod";
import { assignTags, TagAssignment } from "../domain/customers/tag-change.ts";
import { endpoint } from "../http/endpoint.ts";
import { TagChange } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Adds and removes tags of any person, in any category.",
    auth: "admin",
    access: "changed",
    tenant: "registered",
    body: TagAssignment.meta({ examples: [{ email: "ada@example.com", add: ["vip"] }] }),
    result: TagChange.extend({ user_id: z.int() }),
    async handle({ ctx, tenant, body, accessed }) {
      const changed = await assignTags(ctx, tenant, body);
      accessed({ userIds: [changed.user_id] });
      return { ok: true, ...changed };
    },
  },
});
