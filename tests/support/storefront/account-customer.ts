// A customer who is signed in at the store's customer accounts, with an agent and a payment mandate.
import { randomUUID } from "node:crypto";
import type { Sandbox } from "../../../app/sandbox/sandbox.ts";
import type { TestDatabase } from "../database.ts";

type StoreAndDatabase = { sandbox: Sandbox; database: TestDatabase };

/** Exists at the store only. */
export const addStoreCustomer = (
  { sandbox }: StoreAndDatabase,
  shop: string,
  email: string,
): { gid: string; number: string } => {
  const { gid } = sandbox.storefront.saveCustomer(shop, {
    email,
    firstName: "Ada",
    lastName: "Lovelace",
    verifiedEmail: true,
  });
  return { gid, number: gid.slice(gid.lastIndexOf("/") + 1) };
};

export async function findAccountId({ database }: StoreAndDatabase, shop: string, gid: string) {
  const [row] = await database.query(
    "SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2",
    [shop, gid],
  );
  return (row?.id as number | undefined) ?? null;
}

/** Consents of the customer, an agent that may act and a mandate of 50 euros. */
export async function giveAgentAndMandate(
  { database }: StoreAndDatabase,
  shop: string,
  userId: number,
): Promise<{ grant: string; mandate: string }> {
  const [grant, mandate] = [randomUUID(), randomUUID()];
  await database.query(
    `INSERT INTO user_claims (shop, user_id, consent_a2a, consent_ap2) VALUES ($1, $2, true, true)
      ON CONFLICT (shop, user_id) DO UPDATE SET consent_a2a = true, consent_ap2 = true`,
    [shop, userId],
  );
  await database.query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, sessions_epoch)
      SELECT $1, $3, $2, 'agent-1', 'Trail Planner', '{identity:read,commerce.mandates:create}',
        sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = $2`,
    [shop, userId, grant],
  );
  await database.query(
    `INSERT INTO oauth_tokens (shop, token_hash, grant_id, kind, scopes, expires_at)
      VALUES ($1, $3, $2, 'refresh', '{}', now() + interval '1 day')`,
    [shop, grant, `hash-${grant}`],
  );
  await database.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, signature,
      proof, usage, expires_at) VALUES ($1, $3, $2, 50, 'EUR', 'all', 'sig', 'proof', 'multi',
      now() + interval '30 days')`,
    [shop, userId, mandate],
  );
  return { grant, mandate };
}
