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
  if (flaw !== undefined && !isOfClaims(flaw)) return brokenReply(flaw);
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
    ...(flaw && FLAWED_CLAIMS[flaw]),
  });
}

const FLAWED_CLAIMS = {
  other_subject: { sub: "another-subject" },
  no_subject: { sub: undefined },
  malformed_email: { email: ["person@example.com"] },
};

const isOfClaims = (flaw: number | string): flaw is keyof typeof FLAWED_CLAIMS =>
  Object.hasOwn(FLAWED_CLAIMS, flaw);
