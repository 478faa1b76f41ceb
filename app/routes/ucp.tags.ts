import { OwnTagLists } from "../domain/customers/tag-change.ts";
import { changeOwnTags } from "../domain/identity/own-tags.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import { callerAddress } from "../http/client-address.ts";
import { endpoint } from "../http/endpoint.ts";
import { OWN_TAGS } from "../http/rate-limit.ts";
import { TagChange } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Adds and removes tags of the signed-in person, and waits up to 5 s for the systems they go to.",
    auth: "shopper",
    access: "changed",
    tenant: "registered",
    rateLimit: OWN_TAGS,
    proxied: { locale: LOCALE_SHAPE },
    body: OwnTagLists,
    answers: {
      200: "`{ok, tags, added, removed, channels}`; a channel that is not done yet is `queued`.",
      403: "A tag is of a category that is reserved for the store, or is not in its catalog.",
      409: "`other_person`: somebody else is signed in than `acted_by` names. Nothing was changed.",
    },
    result: TagChange,
    async handle({ ctx, request, tenant, principal, body, proxied }) {
      const address = callerAddress(ctx, request, proxied);
      return { ok: true, ...(await changeOwnTags(ctx, tenant, principal, body, address)) };
    },
  },
});
