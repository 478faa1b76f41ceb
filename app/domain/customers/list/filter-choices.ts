// The filter options of a store's customer list: its tags, and the countries and languages of its
// customers. The bulk runs to show and the segments come with them.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag } from "../../../db.server.ts";
import { LANGUAGES, type Language } from "../../../locales/languages.ts";
import { RUNS_TO_SHOW, toState, type BulkRunState, type ShownRun } from "../bulk/run-row.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { countColumns, toCounts, type CountRow, type CustomerCounts } from "./count-customers.ts";
import type { ReadyFilter } from "./filter-condition.ts";
import { toSegment, type Segment, type StoredSegment } from "../segments/segment.ts";

const MAX_TAGS = 500;
const MAX_VALUES = 300;

// A loose index scan from one value to the next: one look-up per value, however many customers there
// are.
const valuesOf = (column: "country" | "language_pref") => `(
  WITH RECURSIVE found AS (
    (SELECT ${column} AS value FROM storefront_users WHERE shop = $1 AND ${column} IS NOT NULL
      AND status <> 'deleted' ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM storefront_users WHERE shop = $1 AND ${column} > found.value
      AND status <> 'deleted' ORDER BY ${column} LIMIT 1) FROM found WHERE found.value IS NOT NULL
  )
  SELECT coalesce(json_agg(value), '[]') FROM (
    SELECT value FROM found WHERE value IS NOT NULL LIMIT ${MAX_VALUES}
  ) AS listed
)`;

const KNOWN_TAGS = `SELECT slug, name, category FROM crm_tags WHERE shop = $1
  ORDER BY lower(name), slug LIMIT ${MAX_TAGS}`;

const SEGMENTS = `SELECT id, name, filter, sort, version FROM segments WHERE shop = $1
  ORDER BY lower(name COLLATE "und-x-icu"), id`;

/** Columns of one statement for all that is beside the list, because each one is a round trip. */
const CHOICES_AND_RUNS = `
  ${valuesOf("country")} AS countries, ${valuesOf("language_pref")} AS languages,
    (SELECT coalesce(json_agg(tag), '[]') FROM (${KNOWN_TAGS}) AS tag) AS tags,
    (SELECT coalesce(json_agg(run), '[]') FROM (${RUNS_TO_SHOW}) AS run) AS runs,
    (SELECT coalesce(json_agg(segment), '[]') FROM (${SEGMENTS}) AS segment) AS segments`;

type Named = { code: string; names: Record<Language, string> };
type KnownTag = Columns<CrmTag, "slug" | "name" | "category">;
type FilterChoices = { tags: KnownTag[]; countries: Named[]; languages: Named[] };

// Named on the server: browsers have other names, and a difference would break hydration.
const namesOf = (type: "region" | "language") =>
  Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      new Intl.DisplayNames([language], { type, fallback: "code" }),
    ]),
  );
const REGIONS = namesOf("region");
const TONGUES = namesOf("language");

function toNamed(names: typeof REGIONS, shape: RegExp, code: string): Named {
  const nameIn = (language: Language) =>
    (shape.test(code) ? names[language]?.of(code) : null) ?? code;
  const named = LANGUAGES.map((language) => [language, nameIn(language)]);
  return { code, names: Object.fromEntries(named) as Named["names"] };
}

/** The values of filters with their names. */
export const nameValues = (values: { countries: string[]; languages: string[] }) => ({
  countries: values.countries.map((code) => toNamed(REGIONS, /^[A-Z]{2}$/, code)),
  languages: values.languages.map((code) => toNamed(TONGUES, /^[a-z]{2,3}$/, code)),
});

type Stored = {
  tags: KnownTag[];
  countries: string[];
  languages: string[];
  runs: (Omit<ShownRun, "created_at"> & { created_at: string })[];
  segments: StoredSegment[];
};
export type ChoicesAndRuns = {
  choices: FilterChoices;
  runs: BulkRunState[];
  segments: Segment[];
};

export async function readChoicesAndRuns(ctx: Ctx, tenant: Tenant): Promise<ChoicesAndRuns> {
  const [found] = await dataOf(ctx, tenant).sql<Stored>(`SELECT ${CHOICES_AND_RUNS}`);
  return toChoicesAndRuns(found);
}

/** The same with the counts of a filter. */
export async function readChoicesAndCounts(
  ctx: Ctx,
  tenant: Tenant,
  ready: ReadyFilter,
): Promise<ChoicesAndRuns & { counts: CustomerCounts }> {
  const counts = countColumns(ready, 2);
  const [found] = await dataOf(ctx, tenant).sql<Stored & CountRow>(
    `SELECT ${CHOICES_AND_RUNS}, ${counts.sql}`,
    counts.values,
  );
  return { ...toChoicesAndRuns(found), counts: toCounts(ready, found) };
}

function toChoicesAndRuns(found: Stored | undefined): ChoicesAndRuns {
  const { tags = [], countries = [], languages = [], runs = [], segments = [] } = found ?? {};
  return {
    choices: { tags, ...nameValues({ countries, languages }) },
    runs: runs.map((run) => toState({ ...run, created_at: new Date(run.created_at) })),
    segments: segments.flatMap((segment) => toSegment(segment) ?? []),
  };
}
