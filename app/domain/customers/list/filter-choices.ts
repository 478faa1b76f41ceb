// The filter options of a store's customer list: its tags and the countries of its customers.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const MAX_TAGS = 500;
const MAX_COUNTRIES = 300;

// A loose index scan from one country to the next: one look-up per country, however many customers
// there are.
const COUNTRIES = `
  WITH RECURSIVE found AS (
    (SELECT country FROM storefront_users WHERE shop = $1 AND country IS NOT NULL ORDER BY country LIMIT 1)
    UNION ALL
    SELECT (SELECT country FROM storefront_users WHERE shop = $1 AND country > found.country
      ORDER BY country LIMIT 1) FROM found WHERE found.country IS NOT NULL
  )
  SELECT country FROM found WHERE country IS NOT NULL LIMIT ${MAX_COUNTRIES}`;

const LANGUAGES = ["en", "es", "fr"] as const;

export type FilterChoices = {
  tags: KnownTag[];
  countries: { code: string; names: Record<(typeof LANGUAGES)[number], string> }[];
};

// Named on the server: browsers have other country names, and a difference would break hydration.
const NAMES = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    new Intl.DisplayNames([language], { type: "region", fallback: "code" }),
  ]),
);
const nameOf = (language: string, code: string) =>
  (/^[A-Z]{2}$/.test(code) ? NAMES[language]?.of(code) : undefined) ?? code;

type KnownTag = Columns<CrmTag, "slug" | "name" | "category">;

export function listKnownTags(sql: TenantSql): Promise<KnownTag[]> {
  return sql<KnownTag>(
    `SELECT slug, name, category FROM crm_tags WHERE shop = $1 ORDER BY lower(name), slug LIMIT ${MAX_TAGS}`,
  );
}

export async function readFilterChoices(ctx: Ctx, tenant: Tenant): Promise<FilterChoices> {
  const { sql } = dataOf(ctx, tenant);
  const [tags, countries] = await Promise.all([
    listKnownTags(sql),
    sql<Columns<StorefrontUser, "country"> & { country: string }>(COUNTRIES),
  ]);
  return {
    tags,
    countries: countries.map(({ country: code }) => ({
      code,
      names: { en: nameOf("en", code), es: nameOf("es", code), fr: nameOf("fr", code) },
    })),
  };
}
