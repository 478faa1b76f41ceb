/** The ID token of one sign-in: the person's claims, changed and signed as the planned flaws say. */
import { makeIdToken } from "./id-token.ts";
import { personClaims, type Person, type Realm } from "./people.ts";
import type { ProviderState } from "./provider-state.ts";

export type SignedInPerson = { person: Person; scopes: string[]; nonce: string | null };

/** Returns undefined where the planned flaw leaves the token out. */
export function issueIdToken(
  { client, settings, flaws, keys, soundTokens }: ProviderState,
  realm: Realm,
  { person, scopes, nonce }: SignedInPerson,
): string | undefined {
  const now = Math.floor(Date.now() / 1000);
  const shown = settings.hasEmailClaim ? scopes : scopes.filter((scope) => scope !== "email");
  const claims = {
    iss: realm.issuer,
    aud: client().clientId,
    ...personClaims(person, shown),
    ...(nonce !== null && { nonce }),
    iat: now,
    exp: now + settings.tokenLifetimeSeconds,
    ...flaws.take("claims"),
  };
  const flaw = flaws.take("idToken");
  const token = makeIdToken(claims, flaw, {
    keys,
    clientSecret: client().clientSecret,
    previous: soundTokens.get(realm.issuer),
  });
  if (token !== undefined && flaw === undefined) soundTokens.set(realm.issuer, token);
  return token;
}
