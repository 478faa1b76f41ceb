import { changeProfile, ProfileChange, showProfile } from "../domain/identity/profile.ts";
import { endpoint } from "../http/endpoint.ts";
import { Profile } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The whole profile: person, consents, tags, segment, language, linked providers.",
    auth: "person",
    agentOperation: "get_identity",
    access: "viewed",
    tenant: "registered",
    result: Profile,
    handle: ({ ctx, tenant, principal }) => showProfile(ctx, tenant, principal),
  },
  PATCH: {
    summary: "Changes names, language or picture.",
    auth: "session",
    access: "changed",
    tenant: "registered",
    body: ProfileChange,
    result: Profile,
    handle: ({ ctx, tenant, principal, body }) => changeProfile(ctx, tenant, principal, body),
  },
});
