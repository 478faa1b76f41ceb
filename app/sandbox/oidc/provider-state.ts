/** What a provider remembers between calls, and what its owner decides about it. */
import { createFlawBook } from "./flaws.ts";
import { createGrants } from "./grants.ts";
import { createKeyRing } from "./keys.ts";
import type { OidcClient } from "./people.ts";
import { createRecords } from "./records.ts";
import type { OidcSettings } from "./settings.ts";

export type OidcProviderParts = {
  name: string;
  client: () => OidcClient;
  appUrl: () => string;
  settings: OidcSettings;
};

export type ProviderState = ReturnType<typeof createProviderState>;

export function createProviderState({ name, ...parts }: OidcProviderParts) {
  return {
    ...parts,
    keys: createKeyRing(name),
    flaws: createFlawBook(),
    grants: createGrants(),
    records: createRecords(),
    /** The last ID token without a flaw, by issuer: the one that the flaw `replay` sends again. */
    soundTokens: new Map<string, string>(),
  };
}

/** As the discovery document announces them; null: it does not say. */
export function authMethodsOf({ client, settings }: ProviderState): string[] | null {
  return client().clientSecret === null ? ["none"] : settings.clientAuthMethods;
}
