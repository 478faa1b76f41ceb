/** The federated identity provider: one issuer, a confidential client, its own users. */
import { randomInt } from "node:crypto";
import { json } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { findByEmail } from "./people.ts";
import type { Person, Realm, Visitor } from "./people.ts";
import { createOidcProvider } from "./provider.ts";
import type { OidcEndpoint } from "./provider.ts";
import { OIDC_DEFAULTS, type OidcSettings } from "./settings.ts";
import type { Saving } from "../state-file.ts";

export type FederatedState = { people: Person[] };

const FEDERATED_CLIENT_ID = "sandbox-federated-client.apps.example";
const FEDERATED_CLIENT_SECRET = "sandbox-federated-client-secret";

const ENDPOINTS: Record<string, OidcEndpoint> = {
  "/.well-known/openid-configuration": "discovery",
  "/authorize": "authorize",
  "/token": "token",
  "/jwks": "jwks",
  "/userinfo": "userinfo",
};

export function initialFederatedState(): FederatedState {
  return {
    people: [
      {
        sub: "110248495921238986420",
        email: "ada@example.com",
        emailVerified: true,
        name: "Ada Byron",
      },
      {
        sub: "110248495921238986421",
        email: "bob@example.com",
        emailVerified: false,
        name: "Bob Noyce",
      },
    ],
  };
}

export function createFederated(
  state: FederatedState,
  saving: Saving,
  addresses: { url: () => string; appUrl: () => string },
  overrides: Partial<OidcSettings> = {},
) {
  const client = { clientId: FEDERATED_CLIENT_ID, clientSecret: FEDERATED_CLIENT_SECRET };
  const settings: OidcSettings = { ...OIDC_DEFAULTS, ...overrides };
  const provider = createOidcProvider({
    name: "federated",
    client: () => ({
      ...client,
      redirectUris: [`${addresses.appUrl()}/auth/federated/callback`],
    }),
    appUrl: addresses.appUrl,
    settings,
  });

  const putPerson = ({ email, name, emailVerified }: Visitor): Person => {
    const known = findByEmail(state.people, email);
    const person = known ?? {
      sub: newSubject(),
      email,
      emailVerified: true,
      name: email.split("@")[0] ?? email,
    };
    if (!known) state.people.push(person);
    if (name !== undefined) person.name = name;
    if (emailVerified !== undefined) person.emailVerified = emailVerified;
    saving.soon();
    return person;
  };

  const realm = (): Realm => {
    const issuer = `${addresses.url()}/federated`;
    return {
      name: "the federated provider",
      issuer,
      endpoints: {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      people: () => state.people,
      upsertUser: putPerson,
    };
  };

  return {
    ...provider.controls,
    ...client,
    handle(call: Call): ApiResponse | Promise<ApiResponse> {
      const endpoint = ENDPOINTS[call.path];
      return endpoint
        ? provider.answer(realm(), endpoint, call)
        : json(404, { error: "not_found" });
    },
    people: (): Person[] => [...state.people],
    /** Adds a user, or updates the one with that email; the `sub` stays. */
    putPerson,
    removePerson(email: string): void {
      const person = findByEmail(state.people, email);
      state.people = state.people.filter((other) => other !== person);
      saving.soon();
    },
  };
}

/** 21 digits, as large providers have them: more than a JavaScript number holds. */
function newSubject(): string {
  return `1${Array.from({ length: 20 }, () => randomInt(10)).join("")}`;
}
