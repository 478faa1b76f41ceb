/** Users of an identity provider, and the claims a client receives about them. */

export type Person = {
  /** Text: a storefront's customer id does not fit a JavaScript number. */
  sub: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
};

export type Visitor = {
  email: string;
  name?: string | undefined;
  emailVerified?: boolean | undefined;
};

/**
 * One issuer with its users. The storefront has one realm per shop; the federated provider is one
 * realm.
 */
export type Realm = {
  name: string;
  issuer: string;
  endpoints: Record<"authorization_endpoint" | "token_endpoint" | "jwks_uri", string> & {
    end_session_endpoint?: string;
    userinfo_endpoint?: string;
  };
  people(): Person[];
  /** Creates or updates the user with that email. */
  upsertUser(visitor: Visitor): Person;
};

export type OidcClient = {
  clientId: string;
  /** null: a public client, which must use PKCE. */
  clientSecret: string | null;
  /** The complete addresses that the client registered: none other is redirected to. */
  redirectUris: string[];
};

export function personClaims(person: Person, scopes: string[]): Record<string, unknown> {
  const [givenName = "", ...rest] = (person.name ?? "").split(" ");
  return {
    sub: person.sub,
    ...(scopes.includes("email") &&
      person.email !== null && { email: person.email, email_verified: person.emailVerified }),
    ...(scopes.includes("profile") &&
      person.name !== null && {
        name: person.name,
        given_name: givenName,
        ...(rest.length > 0 && { family_name: rest.join(" ") }),
      }),
  };
}

export function findByEmail(people: Person[], email: string): Person | undefined {
  const wanted = email.trim().toLowerCase();
  return people.find((person) => person.email?.toLowerCase() === wanted);
}

export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}
