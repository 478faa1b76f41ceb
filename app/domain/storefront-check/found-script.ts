// What the storefront check says of one script, frame, pixel or inline snippet of others.
import { QUESTION_OF, type MarkPurpose } from "../vendors/mark-purposes.ts";
import type { Purpose } from "../vendors/known-vendors.ts";

/**
 * `before_consent`: loads whatever the shopper chose. `unknown`: so does a script of somebody who is not
 * on the list. `blocked`: waits although it is not marked. `necessary`: payment or security. Sorted by what
 * needs the merchant first.
 */
export const SCRIPT_STATES = [
  "before_consent",
  "unknown",
  "google_consent_mode",
  "blocked",
  "waits",
  "necessary",
  "shopify",
] as const;
export type ScriptState = (typeof SCRIPT_STATES)[number];

/** `sale_of_data` is a purpose of marks only. */
type ShownPurpose = Purpose | "sale_of_data";

/**
 * `mark`: replace it by the snippet. `mark_tag`: replace its opening tag by the snippet. `ask_app`: an
 * app loads it, so that it is in no theme file. `remove`: it loads where nobody can consent.
 * `cannot_wait`: it writes into the page while that is parsed. `fix_purpose`: it never starts.
 */
type Advice = "mark" | "mark_tag" | "ask_app" | "remove" | "cannot_wait" | "fix_purpose";

export type FoundScript = {
  kind: "script" | "inline" | "frame" | "image";
  /** The vendor's name; for a file of an app, the app's handle. */
  vendor: string | null;
  /** Host and path, never a query; empty for code without an address. */
  address: string;
  purposes: ShownPurpose[];
  state: ScriptState;
  /** The names of the pages that contain it. */
  pages: string[];
  advice: Advice | null;
  snippet: string | null;
};

/** The purposes of marks in the order in which they are shown. */
export const MARK_NAMES = Object.keys(QUESTION_OF) as MarkPurpose[];
