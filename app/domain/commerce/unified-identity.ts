// `GET /commerce/identity`: one person across all sign-in methods, as shown to agents.
import type { Ctx } from "../../context.server.ts";
import type { Person } from "../identity/account.ts";
import { showProfile } from "../identity/profile.ts";
import type { Tenant } from "../tenants/tenant.ts";

export async function showIdentity(ctx: Ctx, tenant: Tenant, person: Person) {
  const { user, consents, tags, segment_id, language, linked_providers } = await showProfile(
    ctx,
    tenant,
    person,
  );
  return {
    user_id: user.id,
    email: user.email,
    linked_providers,
    consents,
    tags: tags.map(({ slug }) => slug),
    segment: segment_id,
    language: user.language_pref ?? language,
  };
}
