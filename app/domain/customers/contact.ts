// A contact: an address somebody typed, before its owner has done anything.
import type { TenantSql } from "../../runtime/database.ts";

/** The living account of the address, or a new one that nobody can sign in to. Retries on a race are the caller's. */
export async function findOrCreateContact(sql: TenantSql, email: string): Promise<number> {
  const [known] = await sql<{ id: number }>(
    "SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = $2 AND status <> 'deleted'",
    [email],
  );
  if (known) return known.id;
  const [made] = await sql<{ id: number }>(
    "INSERT INTO storefront_users (shop, email, provider) VALUES ($1, $2, 'email') ON CONFLICT (shop, lower(email)) WHERE email IS NOT NULL AND status <> 'deleted' DO NOTHING RETURNING id",
    [email],
  );
  if (!made) return findOrCreateContact(sql, email);
  await sql(
    "INSERT INTO user_claims (shop, user_id) VALUES ($1, $2) ON CONFLICT (shop, user_id) DO NOTHING",
    [made.id],
  );
  await sql(
    "INSERT INTO user_extras (shop, user_id) VALUES ($1, $2) ON CONFLICT (shop, user_id) DO NOTHING",
    [made.id],
  );
  return made.id;
}
