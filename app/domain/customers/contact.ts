// A contact: an address that was entered in a form and not verified.
import type { Columns, StorefrontUser, Transaction } from "../../db.server.ts";

/**
 * Returns the active account of the address, or creates one that cannot sign in. The caller retries
 * on a race.
 */
export async function findOrCreateContact(
  shop: string,
  tx: Transaction,
  email: string,
): Promise<number> {
  const [known] = await tx.sql<Columns<StorefrontUser, "id">>(
    "SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = $2 AND status <> 'deleted'",
    [email],
  );
  if (known) return known.id;
  const [made] = await tx.sql<Columns<StorefrontUser, "id">>(
    `INSERT INTO storefront_users (shop, email, provider) VALUES ($1, $2, 'email')
      ON CONFLICT (shop, lower(email)) WHERE email IS NOT NULL AND status <> 'deleted' DO NOTHING RETURNING id`,
    [email],
  );
  if (!made) return findOrCreateContact(shop, tx, email);
  const key = { shop, user_id: made.id };
  await tx.prisma.userClaims.createMany({ data: [key], skipDuplicates: true });
  await tx.prisma.userExtras.createMany({
    data: [{ ...key, is_contact: true }],
    skipDuplicates: true,
  });
  return made.id;
}
