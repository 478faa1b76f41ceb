/**
 * Planned misbehaviour of a provider: one queue per place where it shows; each entry is used once.
 */
import type { IdTokenFlaw } from "./id-token.ts";

export type OidcFlaw = {
  /** Applies to the next ID token. */
  idToken?: IdTokenFlaw;
  /** Merged into the claims of the next ID token; undefined removes a claim. */
  claims?: Record<string, unknown>;
  /**
   * The next call of the token endpoint fails this way without effect. `lose_reply`: it takes
   * effect, then answers 502.
   */
  token?: number | "hang" | "garbage" | "lose_reply";
  jwks?: number | "hang" | "garbage" | "empty";
  discovery?: number | "hang" | "garbage" | "issuer_mismatch";
  userinfo?: number | "hang" | "garbage" | "other_subject" | "no_subject" | "malformed_email";
  /** Applies to the next redirect to the app; any other text is sent as `error`. */
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
