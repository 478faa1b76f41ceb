// What a list of customers can be narrowed to in this store: its tags and the countries of its customers.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

const MOST_TAGS = 500;
const MOST_COUNTRIES = 300;

// From one country to the next along the index: as many look-ups as there are countries, however many people there are.
const COUNTRIES = `
  WITH RECURSIVE found AS (
    (SELECT country FROM storefront_users WHERE shop = $1 AND country IS NOT NULL ORDER BY country LIMIT 1)
    UNION ALL
    SELECT (SELECT country FROM storefront_users WHERE shop = $1 AND country > found.country ORDER BY country LIMIT 1) FROM found WHERE found.country IS NOT NULL
  )
  SELECT country FROM found WHERE country IS NOT NULL LIMIT ${MOST_COUNTRIES}`;

const LANGUAGES = ["en", "es", "fr"] as const;

export type FilterChoices = {
  tags: { slug: string; name: string; category: string }[];
  countries: { code: string; names: Record<(typeof LANGUAGES)[number], string> }[];
};

// Named here and not by the reader's browser: each has tables of its own, and another word would break hydration.
const NAMES = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    new Intl.DisplayNames([language], { type: "region", fallback: "code" }),
  ]),
);
const nameOf = (language: string, code: string) =>
  (/^[A-Z]{2}$/.test(code) ? NAMES[language]?.of(code) : undefined) ?? code;

type KnownTag = FilterChoices["tags"][number];

export function listKnownTags(sql: TenantSql): Promise<KnownTag[]> {
  return sql<KnownTag>(
    `SELECT slug, name, category FROM crm_tags WHERE shop = $1 ORDER BY lower(name), slug LIMIT ${MOST_TAGS}`,
  );
}

export async function readFilterChoices(ctx: Ctx, tenant: Tenant): Promise<FilterChoices> {
  const { sql } = dataOf(ctx, tenant);
  const [tags, countries] = await Promise.all([
    listKnownTags(sql),
    sql<{ country: string }>(COUNTRIES),
  ]);
  return {
    tags,
    countries: countries.map(({ country: code }) => ({
      code,
      names: { en: nameOf("en", code), es: nameOf("es", code), fr: nameOf("fr", code) },
    })),
  };
}
