// Adds tags that customers of a store may choose from.
import { defineTag } from "../../../app/domain/tags/catalog.ts";
import { SHOP, type Service } from "../service.ts";

/** Creates tags in one category, as a merchant does. */
export async function addToCatalog(
  { database }: Pick<Service, "database">,
  names: readonly string[],
  { shop = SHOP, category = "campaign" } = {},
): Promise<void> {
  const tags = names.map(defineTag);
  await database.query(
    `INSERT INTO crm_tags (shop, name, slug, category) SELECT $1, name, slug, $4
      FROM unnest($2::text[], $3::text[]) AS t(name, slug) ON CONFLICT (shop, slug) DO NOTHING`,
    [shop, tags.map(({ name }) => name), tags.map(({ slug }) => slug), category],
  );
}
