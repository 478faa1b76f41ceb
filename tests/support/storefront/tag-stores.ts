// Two stores whose tags reach no other system, and a shopper of the first.
import { signUp } from "../../contract/identity/people.ts";
import { OTHER_SHOP, SHOP, type Service } from "../service.ts";

export const TENANT_KEY = "tenant-admin-key-0123456789";

const NO_SYSTEMS = {
  cms_api_token: null,
  analytics_api_secret: null,
  profile_platform_enabled: false,
};

/** Empties the database and begins again. */
export async function beginTagStores(service: Service): Promise<{ token: string; userId: number }> {
  await service.database.truncate();
  await service.addTenant(SHOP, { ...NO_SYSTEMS, admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP, NO_SYSTEMS);
  const { token, id } = await signUp(service, { email: "ada@example.com" });
  return { token, userId: id };
}

/** The assigned tags of a store's people, in the order of their assignment. */
export const assignedTags = (service: Service, shop: string) =>
  service.database.query(
    `SELECT t.slug, t.category, m.source, m.user_id FROM user_tag_map m
      JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id WHERE m.shop = $1 ORDER BY m.id`,
    [shop],
  );
