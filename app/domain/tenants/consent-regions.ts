// Where shoppers are asked for consent (DECISIONS 18): a store's rule per group of regions, and what of it
// the platform, the tags and the banner need. One list of groups; everything else derives from it.
import { z } from "zod";

/**
 * `opt_in`: nothing before a choice. `opt_out`: allowed until the shopper objects, by a link about the sale
 * of data. `none`: allowed, and nothing is shown.
 */
export const REGION_MODES = ["opt_in", "opt_out", "none"] as const;
export type RegionMode = (typeof REGION_MODES)[number];

/** Countries as ISO 3166-1, their parts as ISO 3166-2. */
export const REGION_GROUPS = {
  // The European Union with Iceland, Liechtenstein and Norway.
  eea: "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(
    " ",
  ),
  uk: ["GB"],
  ch: ["CH"],
  // States with a privacy law that names the sale of data or targeted advertising.
  us_states:
    "US-CA US-CO US-CT US-DE US-IA US-IN US-KY US-MD US-MN US-MT US-NE US-NH US-NJ US-OR US-RI US-TN US-TX US-UT US-VA".split(
      " ",
    ),
  brazil: ["BR"],
  canada: ["CA"],
} as const satisfies Record<string, readonly string[]>;

export type RegionGroup = keyof typeof REGION_GROUPS;
export const REGION_GROUP_NAMES = Object.keys(REGION_GROUPS) as RegionGroup[];

const Mode = z.enum(REGION_MODES);
const MAX_EXCEPTIONS = 60;

/** Exceptions are more specific than groups, and a part of a country than the country. */
export const ConsentRegions = z.strictObject({
  eea: Mode,
  uk: Mode,
  ch: Mode,
  us_states: Mode,
  brazil: Mode,
  canada: Mode,
  rest: Mode,
  exceptions: z
    .array(
      z.strictObject({
        region: z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, "must look like JP or US-NY"),
        mode: Mode,
      }),
    )
    .max(MAX_EXCEPTIONS)
    .refine(
      (list) => new Set(list.map(({ region }) => region)).size === list.length,
      "must name each region once",
    )
    .default([]),
});
export type ConsentRegions = z.output<typeof ConsentRegions>;

type Preset = Omit<ConsentRegions, "exceptions">;
const everywhere = (mode: RegionMode): Preset => ({
  eea: mode,
  uk: mode,
  ch: mode,
  us_states: mode,
  brazil: mode,
  canada: mode,
  rest: mode,
});

/** Starting points for a merchant. */
export const REGION_PRESETS = {
  recommended: {
    ...everywhere("opt_in"),
    us_states: "opt_out",
    rest: "none",
  },
  europe: { ...everywhere("none"), eea: "opt_in", uk: "opt_in", ch: "opt_in" },
  strict: everywhere("opt_in"),
} as const satisfies Record<string, Preset>;
export type RegionPreset = keyof typeof REGION_PRESETS;

/** The rule of every region that has one, the most specific one each. */
function rulesOf(regions: ConsentRegions): Map<string, RegionMode> {
  const rules = new Map<string, RegionMode>();
  for (const group of REGION_GROUP_NAMES)
    for (const region of REGION_GROUPS[group]) rules.set(region, regions[group]);
  for (const { region, mode } of regions.exceptions) rules.set(region, mode);
  return rules;
}

/** `part`: of the country, without it (`CA` of `US`). */
export function findMode(
  regions: ConsentRegions,
  country: string,
  part?: string | null,
): RegionMode {
  const rules = rulesOf(regions);
  return (part ? rules.get(`${country}-${part}`) : undefined) ?? rules.get(country) ?? regions.rest;
}

/**
 * For scripts: the rule of all other regions, then the regions of each rule, in the order of
 * `REGION_MODES`. A rule is its index there.
 */
export type RegionValues = [rest: number, optIn: string[], optOut: string[], none: string[]];

export function toRegionValues(regions: ConsentRegions): RegionValues {
  const lists = REGION_MODES.map((mode) =>
    [...rulesOf(regions)]
      // What the country's rule or the rest says already is left out.
      .filter(([region, own]) => own === mode && own !== inherited(regions, region))
      .map(([region]) => region)
      .sort(),
  );
  return [REGION_MODES.indexOf(regions.rest), ...lists] as RegionValues;
}

/** What would hold for a region without a rule of its own. */
const inherited = (regions: ConsentRegions, region: string): RegionMode =>
  region.includes("-") ? findMode(regions, region.slice(0, 2)) : regions.rest;
