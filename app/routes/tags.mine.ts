import { listOwnTags, toShownTag } from "../domain/identity/own-tags.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The signed-in person's tags.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    handle: async ({ ctx, tenant, principal }) => ({
      tags: (await listOwnTags(ctx, tenant, principal)).map(toShownTag),
    }),
  },
});
