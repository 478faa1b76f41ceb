/** What the provider has issued: one-time codes, and the grants that codes were redeemed for. */
import { randomBytes } from "node:crypto";
import type { AuthorizationRequest } from "./authorize.ts";
import type { Person, Realm } from "./people.ts";

export type OidcGrant = {
  issuer: string;
  person: Person;
  scopes: string[];
  clientId: string;
  accessToken: string;
  refreshToken: string;
  accessExpiresAt: number;
};

type IssuedCode = {
  code: string;
  issuer: string;
  clientId: string;
  request: AuthorizationRequest;
  person: Person;
  expiresAt: number;
  isUsed: boolean;
  grant?: OidcGrant;
};

type NewGrant = Pick<OidcGrant, "person" | "scopes" | "clientId"> & { lifetimeSeconds: number };

export type Grants = ReturnType<typeof createGrants>;

const CODE_LIFETIME_MS = 60_000;

export function createGrants() {
  let codes: IssuedCode[] = [];
  let grants: OidcGrant[] = [];

  const revokeWhere = (isRevoked: (grant: OidcGrant) => boolean): void => {
    grants = grants.filter((grant) => !isRevoked(grant));
  };

  return {
    issueCode(
      realm: Realm,
      { clientId, request, person }: Pick<IssuedCode, "clientId" | "request" | "person">,
    ): string {
      const code = randomBytes(24).toString("base64url");
      codes = codes.filter(({ expiresAt }) => expiresAt > Date.now() - CODE_LIFETIME_MS);
      codes.push({
        code,
        issuer: realm.issuer,
        clientId,
        request,
        person,
        expiresAt: Date.now() + CODE_LIFETIME_MS,
        isUsed: false,
      });
      return code;
    },
    findCode: (realm: Realm, code: string): IssuedCode | undefined =>
      codes.find((issued) => issued.code === code && issued.issuer === realm.issuer),
    /** Expires all issued codes that are not yet redeemed. */
    expireCodes(): void {
      for (const code of codes) code.expiresAt = Date.now();
    },

    /** Creates a grant with new tokens. */
    add(realm: Realm, { person, scopes, clientId, lifetimeSeconds }: NewGrant): OidcGrant {
      const grant = {
        issuer: realm.issuer,
        person,
        scopes,
        clientId,
        accessToken: `sandbox-person-${randomBytes(24).toString("hex")}`,
        refreshToken: `sandbox-person-refresh-${randomBytes(24).toString("hex")}`,
        accessExpiresAt: Date.now() + lifetimeSeconds * 1000,
      };
      grants.push(grant);
      return grant;
    },
    findGrant: (realm: Realm, accessToken: string): OidcGrant | undefined =>
      grants.find(
        (grant) =>
          grant.issuer === realm.issuer &&
          grant.accessToken === accessToken &&
          grant.accessExpiresAt > Date.now(),
      ),
    findByRefreshToken: (realm: Realm, refreshToken: string): OidcGrant | undefined =>
      grants.find((grant) => grant.refreshToken === refreshToken && grant.issuer === realm.issuer),
    revoke: (revoked: OidcGrant | undefined): void => revokeWhere((grant) => grant === revoked),
    /** Revokes every grant of the person. */
    signOut: (realm: Realm, sub: string): void =>
      revokeWhere((grant) => grant.issuer === realm.issuer && grant.person.sub === sub),
  };
}
