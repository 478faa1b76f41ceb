/** Who can sign in somewhere, and what a client learns about them. */

export type Person = {
  /** Text: a storefront's customer number does not fit a JavaScript number. */
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

/** One issuer with its people. The storefront has one per shop, the federated provider is one. */
export type Realm = {
  name: string;
  issuer: string;
  endpoints: Record<"authorization_endpoint" | "token_endpoint" | "jwks_uri", string> & {
    end_session_endpoint?: string;
    userinfo_endpoint?: string;
  };
  people(): Person[];
  /** The person with that e-mail, changed to what is given; made when there is none. */
  welcome(visitor: Visitor): Person;
};

export type OidcClient = {
  clientId: string;
  /** null: a public client, which must use PKCE. */ clientSecret: string | null;
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
