/** Misbehaviour planned for a provider: one queue per place it can show in, each entry used once. */
import type { IdTokenFlaw } from "./oidc-id-token.ts";

export type OidcFlaw = {
  /** The next ID token. */
  idToken?: IdTokenFlaw;
  /** Laid over the claims of the next ID token; undefined removes one. */
  claims?: Record<string, unknown>;
  /** The next call of the token endpoint: not done, answered so. `lose_reply`: done, then 502. */
  token?: number | "hang" | "garbage" | "lose_reply";
  jwks?: number | "hang" | "garbage" | "empty";
  discovery?: number | "hang" | "garbage" | "issuer_mismatch";
  userinfo?: number | "hang" | "garbage" | "other_subject";
  /** The next return to the app; any text not named here is sent as `error`. */
  callback?: "no_iss" | "wrong_iss" | "wrong_state" | "no_state" | "wrong_code" | (string & {});
};

type Place = keyof OidcFlaw;

export function createFlawBook() {
  let planned: { flaw: OidcFlaw; left: number }[] = [];
  return {
    plan(flaw: OidcFlaw, times: number): void {
      for (const [place, value] of Object.entries(flaw))
        planned.push({ flaw: { [place]: value }, left: times });
    },
    take<P extends Place>(place: P): OidcFlaw[P] | undefined {
      const found = planned.find(({ flaw }) => place in flaw);
      if (!found) return undefined;
      found.left -= 1;
      planned = planned.filter(({ left }) => left > 0);
      return found.flaw[place];
    },
    clear(): void {
      planned = [];
    },
  };
}
