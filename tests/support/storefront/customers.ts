// Customers as rows, for tests of the code that reads them, and as the store changes them.
import type { CustomerChange } from "../../../app/domain/customers/customer-change.ts";
import { applyStorefrontChange } from "../../../app/domain/customers/from-storefront.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import type { TestDatabase } from "../database.ts";
import { SHOP, type Service } from "../service.ts";

export type Person = {
  email?: string | null;
  full_name?: string;
  first_name?: string;
  last_name?: string;
  provider?: string;
  status?: string;
  country?: string;
  gid?: string;
  last_login_at?: string;
  updated_at?: string;
  created_at?: string;
  number_of_orders?: number;
  amount_spent?: number;
  language_pref?: string;
  email_subscription_status?: string;
  sms_subscription_status?: string;
  phone_hash?: string;
  tags?: string[];
  consents?: string[];
};

/** Returns the id. Missing tags are created in the category `campaign`. */
export async function putPerson(
  { query }: TestDatabase,
  shop: string,
  person: Person,
): Promise<number> {
  const [row] = await query<{ id: number }>(
    `INSERT INTO storefront_users (shop, email, full_name, first_name, last_name, provider, status,
      country, storefront_customer_gid, last_login_at, updated_at, created_at, number_of_orders,
      amount_spent, language_pref, email_subscription_status, sms_subscription_status, phone_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11::timestamptz, now()),
       coalesce($12::timestamptz, now()), $13, $14, $15, $16, $17, $18) RETURNING id`,
    [
      shop,
      person.email ?? null,
      person.full_name ?? null,
      person.first_name ?? null,
      person.last_name ?? null,
      person.provider ?? "email",
      person.status ?? "active",
      person.country ?? null,
      person.gid ?? null,
      person.last_login_at ?? null,
      person.updated_at ?? null,
      person.created_at ?? null,
      person.number_of_orders ?? 0,
      person.amount_spent ?? 0,
      person.language_pref ?? null,
      person.email_subscription_status ?? null,
      person.sms_subscription_status ?? null,
      person.phone_hash ?? null,
    ],
  );
  const id = row?.id as number;
  for (const slug of person.tags ?? []) {
    await query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, $2, $3, 'campaign') ON CONFLICT DO NOTHING",
      [shop, slug.toUpperCase(), slug],
    );
    await query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, id, 'admin'
        FROM crm_tags WHERE shop = $1 AND slug = $3`,
      [shop, id, slug],
    );
  }
  if (person.tags)
    await query("UPDATE storefront_users SET tags = $3::jsonb WHERE shop = $1 AND id = $2", [
      shop,
      id,
      JSON.stringify(person.tags),
    ]);
  if (person.consents) {
    const flags = person.consents.map((type) => `consent_${type}`);
    await query(
      `INSERT INTO user_claims (shop, user_id${flags.map((flag) => `, ${flag}`).join("")})
        VALUES ($1, $2${flags.map(() => ", true").join("")})`,
      [shop, id],
    );
  }
  return id;
}

/** The tags that a person has, sorted. */
export async function tagsOf({ query }: TestDatabase, shop: string, id: number): Promise<string[]> {
  const rows = await query<{ slug: string }>(
    `SELECT t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
      WHERE m.shop = $1 AND m.user_id = $2 ORDER BY t.slug`,
    [shop, id],
  );
  return rows.map(({ slug }) => slug);
}

/** What the store's webhook about a customer changes here, now by default. Returns the account's id. */
export async function changeAtStore(
  { ctx }: Service,
  { changedAt = new Date(), ...change }: Omit<CustomerChange, "changedAt"> & { changedAt?: Date },
  shop = SHOP,
): Promise<number> {
  const { userId } = await applyStorefrontChange(
    ctx,
    await getTenant(ctx, shop),
    { ...change, changedAt },
    { eventId: crypto.randomUUID(), eventType: "customer.updated" },
  );
  return userId as number;
}
