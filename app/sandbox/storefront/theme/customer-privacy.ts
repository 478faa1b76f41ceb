/** The script of the simulated customer privacy API, for a page with a visitor from a region. */
import { readFileSync } from "node:fs";
import type { ConsentPolicy } from "../privacy-settings.ts";

const SCRIPT = readFileSync(new URL("./customer-privacy-double.js", import.meta.url), "utf8");

const TROUBLES = ["missing", "slow", "throws", "error"] as const;
export type Trouble = (typeof TROUBLES)[number];

export type SimulatedVisitor = {
  /** As the platform's `getRegion`: `DEBE`, `USCA`, `JP13`. */
  region: string;
  policies: readonly Omit<ConsentPolicy, "id" | "shopId">[];
  trouble?: Trouble | null;
  /** On a page that is no theme's, where each choice carries the storefront's own values. */
  isHeadless?: boolean;
};

export const customerPrivacyScript = ({
  region,
  policies,
  trouble = null,
  isHeadless = false,
}: SimulatedVisitor): string =>
  `window.sandboxPrivacy=${JSON.stringify({ region, policies, trouble, isHeadless })};${SCRIPT}`;

/** `?region=USCA`, `?privacy=slow` of the demo store; a visitor is from Berlin otherwise. */
export function visitorOf(query: URLSearchParams): Pick<SimulatedVisitor, "region" | "trouble"> {
  const region = (query.get("region") ?? "").toUpperCase().replace("-", "");
  return {
    region: /^[A-Z]{2}[A-Z0-9]{0,3}$/.test(region) ? region : "DEBE",
    trouble: TROUBLES.find((known) => known === query.get("privacy")) ?? null,
  };
}
