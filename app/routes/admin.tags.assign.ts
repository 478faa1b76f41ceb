import { assignTags, TagAssignment } from "../domain/customers/tag-change.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Adds and removes tags of any person, in any category.",
    auth: "admin",
    access: "changed",
    tenant: "registered",
    body: TagAssignment,
    async handle({ ctx, tenant, body, accessed }) {
      const changed = await assignTags(ctx, tenant, body);
      accessed({ userIds: [changed.user_id] });
      return { ok: true, ...changed };
    },
  },
});
