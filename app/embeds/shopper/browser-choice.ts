// A sign-up asks about cookies and marketing too, and its answer is the newer one: the browser's choice
// follows it, so that the two agree.
import { readChoice, write } from "../scripts/browser-store.ts";
import { withAnswers } from "../scripts/choice-age.ts";
import { hasGpc, type Flags, type StoreWindow } from "../scripts/window-globals.ts";
import { CONSENT_KEY } from "../storage-keys.ts";
import { DATA } from "./page-data.ts";
import { OF_STORE } from "./session.ts";

const METHOD = "signup";

/** Stores new answers beside those that the browser has. */
export function storeAnswers(key: string, flags: Flags): void {
  const [stored, last] = [readChoice(key, DATA.consentMonths), readChoice(key)];
  const now = new Date().toISOString();
  write(key, withAnswers(stored, flags, DATA.policyVersion ?? undefined, now, last));
}

/** The browser's own signal refuses marketing here; what the person ticked is the account's. */
export function followSignUp(cookie: boolean, marketing: boolean): void {
  const flags = { cookie, ...(!hasGpc && { marketing }) };
  const consent = (window as StoreWindow)._crmConsent;
  if (consent) return void consent.choose(flags, METHOD);
  // A page without the loader: the next one with it reads the choice.
  const key = CONSENT_KEY + OF_STORE;
  storeAnswers(key, flags);
}
