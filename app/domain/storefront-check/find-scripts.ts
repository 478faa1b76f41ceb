// Which scripts, frames, pixels and inline snippets of others a store's pages contain, and whether each
// waits for consent. Only what stands in the pages is seen: nothing runs here.
import { carriesEmbed } from "../tenants/storefront/theme-links.ts";
import { SCRIPT_STATES, type FoundScript, type ScriptState } from "./found-script.ts";
import { scriptsOf, type CheckedPage } from "./page-scripts.ts";

export type FoundScripts = {
  /** At most MAX_LISTED, those that need the merchant first. */
  scripts: FoundScript[];
  /** How many scripts were found in each state, at most 5,000 of a page. */
  counts: Record<ScriptState, number>;
  hasEmbed: boolean;
};

const MAX_LISTED = 100;
/** Far more than a store's page has: a hostile one names a hundred thousand addresses. */
const MAX_OF_PAGE = 5_000;

/** `ours`: the origins of the store itself and of this service. */
export function findScripts(pages: readonly CheckedPage[], ours: readonly string[]): FoundScripts {
  const found = new Map<string, FoundScript>();
  for (const page of pages) {
    let ofPage = 0;
    for (const one of scriptsOf(page, ours)) {
      if (++ofPage > MAX_OF_PAGE) break;
      const key = JSON.stringify([one.kind, one.state, one.vendor, one.address, one.advice]);
      const known = found.get(key);
      if (!known) found.set(key, { ...one, pages: [page.name] });
      else if (!known.pages.includes(page.name)) known.pages.push(page.name);
    }
  }
  const counts = Object.fromEntries(SCRIPT_STATES.map((state) => [state, 0])) as Record<
    ScriptState,
    number
  >;
  for (const { state } of found.values()) counts[state] += 1;
  const scripts = [...found.values()].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_LISTED);
  return { scripts, counts, hasEmbed: pages.some(({ html }) => carriesEmbed(html)) };
}

/** What every shopper's browser loads comes before what only browsers without scripts do. */
const rankOf = ({ state, advice }: FoundScript): number =>
  SCRIPT_STATES.indexOf(state) + (advice === "remove" ? 0.5 : 0);
