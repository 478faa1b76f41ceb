import { assignTags, TagAssignment } from "../domain/customers/tag-change.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Adds and removes tags of any person, in any category.",
    auth: "admin",
    tenant: "registered",
    body: TagAssignment,
    handle: async ({ ctx, tenant, body }) => ({
      ok: true,
      ...(await assignTags(ctx, tenant, body)),
    }),
  },
});
