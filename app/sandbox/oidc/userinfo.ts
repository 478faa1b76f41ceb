/** The userinfo endpoint (OpenID Connect Core 5.3). */
import { json } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";
import { brokenReply } from "./broken-reply.ts";
import { personClaims, type Realm } from "./people.ts";
import type { ProviderState } from "./provider-state.ts";

export function answerUserinfo(
  { flaws, grants }: ProviderState,
  realm: Realm,
  call: Call,
): ApiResponse | Promise<ApiResponse> {
  const flaw = flaws.take("userinfo");
  if (flaw !== undefined && flaw !== "other_subject" && flaw !== "no_subject")
    return brokenReply(flaw);
  const accessToken = /^Bearer (.+)$/i.exec(call.headers.authorization ?? "")?.[1] ?? "";
  const grant = grants.findGrant(realm, accessToken);
  if (!grant)
    return json(
      401,
      { error: "invalid_token" },
      { "www-authenticate": 'Bearer error="invalid_token"' },
    );
  return json(200, {
    ...personClaims(grant.person, grant.scopes),
    ...(flaw && { sub: flaw === "other_subject" ? "another-subject" : undefined }),
  });
}
