import { z } from "zod";
import { listOwnTags, toShownTag } from "../domain/identity/own-tags.ts";
import { endpoint } from "../http/endpoint.ts";
import { AssignedTag } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The signed-in person's tags.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    result: z.object({ tags: z.array(AssignedTag) }),
    handle: async ({ ctx, tenant, principal }) => ({
      tags: (await listOwnTags(ctx, tenant, principal)).map(toShownTag),
    }),
  },
});
