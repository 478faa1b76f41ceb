// Shared by the compliance tests: requests signed as the platform signs them, and a search through
// everything stored.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { storefrontNameHash } from "../../app/domain/customers/storefront-columns.ts";
import { eventually, SHOP, sign, startService, type Answer, type Service } from "./service.ts";

/** With workers that look for the next pass of an erasure at once. */
export const startPrivacyService = (): Promise<Service> =>
  startService({ background: true, env: { WORKER_POLL_MS: "100" } });

export type PrivacyPath = "data-request" | "customer-redact" | "shop-redact";

export const ADA = {
  gid: "gid://shopify/Customer/706405506930370999",
  id: "706405506930370999",
  email: "ada.lovelace@example.com",
  phone: "+44 20 7946 0018",
  name: "Ada Lovelace",
};

export const customerJson = (who: { id?: string; email?: string; phone?: string }): string =>
  `{${[who.id && `"id":${who.id}`, who.email && `"email":${JSON.stringify(who.email)}`, who.phone && `"phone":${JSON.stringify(who.phone)}`].filter(Boolean).join(",")}}`;

export const redactBody = (who: Parameters<typeof customerJson>[0], shop = SHOP): string =>
  `{"shop_id":954889,"shop_domain":"${shop}","customer":${customerJson(who)},"orders_to_redact":[299938,280263]}`;
export const dataRequestBody = (who: Parameters<typeof customerJson>[0], shop = SHOP): string =>
  `{"shop_id":954889,"shop_domain":"${shop}","orders_requested":[299938],"customer":${customerJson(who)},"data_request":{"id":9999}}`;
export const shopBody = (shop = SHOP): string => `{"shop_id":954889,"shop_domain":"${shop}"}`;

let deliveries = 0;

export function privacy(
  service: Service,
  path: PrivacyPath,
  raw: string,
  { shop = SHOP, headers = {} }: { shop?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  deliveries += 1;
  return service.call("POST", `/gdpr/${path}`, {
    body: raw,
    key: null,
    headers: {
      "X-Shopify-Hmac-Sha256": sign(raw),
      "X-Shopify-Shop-Domain": shop,
      "X-Shopify-Webhook-Id": `delivery-${deliveries}`,
      ...headers,
    },
  });
}

/**
 * Has the platform ask for the erasure of a customer, and resolves with the request at its end. The next pass
 * of the erasure begins at once, not a second later.
 */
export async function redact(
  service: Service,
  who: Parameters<typeof customerJson>[0],
  shop = SHOP,
): Promise<Record<string, any>> {
  const { json } = await privacy(service, "customer-redact", redactBody(who, shop), { shop });
  return settled(service, json.request_id, { isHurried: true });
}

export function settled(
  service: Service,
  id: number,
  { withinMs = 20_000, isHurried = false }: { withinMs?: number; isHurried?: boolean } = {},
): Promise<Record<string, any>> {
  return eventually(
    `request ${id} finished`,
    async () => {
      if (isHurried) await beginNextPass(service, id);
      return (
        await service.database.query(
          "SELECT * FROM privacy_requests WHERE id = $1 AND state IN ('done', 'retained', 'failed')",
          [id],
        )
      )[0];
    },
    withinMs,
  );
}

async function beginNextPass({ database }: Service, id: number): Promise<void> {
  await database.query(
    `WITH due AS (
       UPDATE privacy_requests SET next_attempt_at = clock_timestamp()
       WHERE id = $1 AND state = 'received' AND next_attempt_at > clock_timestamp() RETURNING id
     )
     SELECT pg_notify('privacy_requests', '') FROM due`,
    [id],
  );
}

/**
 * Rows of the whole database, and objects of the whole archive, that contain one of the words, as
 * `table: row`.
 */
export async function findEverywhere(
  service: Service,
  words: readonly string[],
): Promise<string[]> {
  const tables = await service.database.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
      AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations'`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    for (const { row } of await service.database.query(
      `SELECT to_jsonb(t)::text AS row FROM "${name}" t`,
    ))
      if (words.some((word) => row.toLowerCase().includes(word.toLowerCase())))
        found.push(`${name}: ${row}`);
  for (const { shop, token, sealed } of await service.database.query<Record<string, string>>(
    "SELECT shop, token, sealed FROM delivery_exchanges",
  )) {
    const open = service.ctx.secrets.unseal(`${shop}/delivery_exchange/${token}`, sealed as string);
    if (words.some((word) => open.toLowerCase().includes(word.toLowerCase())))
      found.push(`delivery_exchanges: ${open}`);
  }
  for (const path of filesOf(service)) {
    const body = readFileSync(path, "utf8");
    if (words.some((word) => body.toLowerCase().includes(word.toLowerCase())))
      found.push(`archive: ${path}`);
  }
  return found;
}

/** Every file of the archive, also one that its writer did not finish. */
const filesOf = (service: Service): string[] =>
  readdirSync(fileURLToPath(service.objects.urlOf("x").replace(/x$/, "")), {
    recursive: true,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Writes the person into every place of a store that can contain personal data. */
export async function seedPersonEverywhere(
  service: Service,
  shop: string,
  who = ADA,
): Promise<number> {
  const { query } = service.database;
  const { ctx } = service;
  const hash = ctx.secrets.pseudonym(`${shop}/phone`, who.phone.replace(/\D/g, ""));
  const nameHash = storefrontNameHash(ctx, shop, { first_name: "Ada", last_name: "Lovelace" });
  const [user] = await query(
    "INSERT INTO storefront_users (shop, email, full_name, first_name, last_name, storefront_customer_gid, phone_hash, storefront_name_hash, provider, password_hash, federated_sub, tags, storefront_slugs, storefront_tagged_at) VALUES ($1, $2, $3, 'Ada', 'Lovelace', $4, $5, $6, 'email', 'pbkdf2-sha256$1$c2FsdA==$aGFzaA==', 'fed-sub-77', '[\"lovelace_club\"]', '[\"lovelace_club\"]', now()) RETURNING id",
    [shop, who.email, who.name, who.gid, hash, nameHash],
  );
  const id = user.id as number;
  await query(
    `INSERT INTO user_claims (shop, user_id, consent_tos, storefront_customer_access_token)
      VALUES ($1, $2, true, 'sealed:v1:token')`,
    [shop, id],
  );
  await query("INSERT INTO user_extras (shop, user_id) VALUES ($1, $2)", [shop, id]);
  await query(
    `INSERT INTO identity_links (shop, issuer, sub, user_id, provider)
      VALUES ($1, 'https://idp.example', 'fed-sub-77', $2, 'federated')`,
    [shop, id],
  );
  await query(
    "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier') ON CONFLICT DO NOTHING",
    [shop],
  );
  await query(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, id, 'admin'
      FROM crm_tags WHERE shop = $1`,
    [shop, id],
  );
  const run = crypto.randomUUID();
  await query("INSERT INTO tag_run_members (shop, run_id, user_id) VALUES ($1, $2, $3)", [
    shop,
    run,
    id,
  ]);
  await query(
    `INSERT INTO tag_run_refusals (shop, run_id, user_id, reason)
      VALUES ($1, $2, $3, 'too_many_tags')`,
    [shop, run, id],
  );
  await query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes)
      VALUES ($1, gen_random_uuid(), $2, 'agent', 'Lovelace helper', '{identity:read}')`,
    [shop, id],
  );
  await query(
    `INSERT INTO oauth_tokens (shop, token_hash, grant_id, kind, scopes, expires_at)
      SELECT $1, 'hash-' || id, id, 'access', '{}', now() FROM oauth_grants WHERE shop = $1 AND user_id = $2`,
    [shop, id],
  );
  await query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, signature,
      proof, expires_at) VALUES ($1, gen_random_uuid(), $2, 50, 'EUR', 'all', 'secret-signature',
      'secret-proof', now() + interval '1 day')`,
    [shop, id],
  );
  await query(
    `INSERT INTO checkout_sessions (shop, id, customer_id, status, source, checkout_url, line_items,
      subtotal, total, currency, discounts, delivery, ap2_checkout, orders, replaced_carts, expires_at)
      VALUES ($1, gen_random_uuid(), $2, 'completed', 'cart', $3, '[]', 1, 1, 'EUR',
        jsonb_build_object('codes', jsonb_build_array($4::text)),
        jsonb_build_object('destination_id', $4::text), $4,
        jsonb_build_array(jsonb_build_object('id', $4::text, 'amount', '1.00', 'is_own', true)),
        jsonb_build_array(jsonb_build_object('id', $4::text, 'total', '1.00')), now())`,
    [shop, id, `https://x.example/?email=${who.email}`, who.email],
  );
  await query(
    `INSERT INTO checkout_sessions (shop, id, customer_id, status, source, checkout_url,
      external_id, line_items, subtotal, total, currency, expires_at)
      VALUES ($1, gen_random_uuid(), $2, 'ready_for_complete', 'cart', 'https://x.example/c',
      'gid://shopify/Cart/lovelace', '[]', 1, 1, 'EUR', now() + interval '1 hour')`,
    [shop, id],
  );
  await query(
    `INSERT INTO return_cases (shop, rma, order_id, user_id, status)
      VALUES ($1, $3, 'gid://shopify/Order/299938', $2, 'open')`,
    [shop, id, `RMA-${id}`],
  );
  await query(
    `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
      VALUES ($1, 'staff', '7', 'viewed', $2, '/app/customers/:id', 'r')`,
    [shop, id],
  );
  await query(
    `INSERT INTO agent_activity (shop, started_at, client_id, user_id, operation, outcome, last_at)
      VALUES ($1, now(), 'agent', $2, 'get_identity', 'done', now())`,
    [shop, id],
  );
  const order = JSON.stringify({
    id: 299938,
    email: who.email,
    customer: { first_name: "Ada", phone: who.phone, admin_graphql_api_id: who.gid },
  });
  const eventId = `order-${shop}-${id}`;
  const queue = `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, transformed_payload, status, max_retries, last_error, archived_at)
      VALUES ($1, $2, 'unheard_of', 'storefront', $3, $4, $5, $6, $7, $8, 3, $9, now())`;
  await query(queue, [
    shop,
    eventId,
    "order.created",
    "order",
    "gid://shopify/Order/299938",
    order,
    JSON.stringify({ NAME: who.name }),
    "dead_letter",
    `refused: ${who.email}`,
  ]);
  await query(queue, [
    shop,
    `mail-${shop}-${id}`,
    "mail.account_deleted",
    "customer",
    String(id),
    JSON.stringify({ user_id: id, sealed_to: ctx.secrets.seal(`${shop}/mail`, who.email) }),
    null,
    "delivered",
    null,
  ]);
  await query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms,
      error) VALUES ($1, 1, $2, 'erpsys', 1, 'failed', 5, $3)`,
    [shop, eventId, `400: {"name":"${who.name}"}`],
  );
  const token = crypto.randomUUID();
  await query(
    `INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
      VALUES ($1, $2, 1, $3, $4)`,
    [shop, eventId, token, ctx.secrets.seal(`${shop}/delivery_exchange/${token}`, order)],
  );
  await query(
    `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, next_attempt_at)
      VALUES ($1, $2, 'customers/update', $3, 'failed', now())`,
    [shop, `inbox-${id}`, `{"id":${who.id},"email":"${who.email}"}`],
  );
  await query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, 'password_link:abc', $2), ($1, 'email_link:def',
      $3), ($1, 'idempotent:ghi', $2)`,
    [shop, JSON.stringify({ user_id: id }), JSON.stringify({ user_id: id, email: who.email })],
  );
  const day = new Date().toISOString().slice(0, 10);
  for (const folder of ["unheard_of", "dead_letter"])
    await ctx.archive.ofStore(shop).put(`events/${folder}/${day}/${eventId}.json`, order);
  // What a writer that died has left.
  const unfinished = fileURLToPath(ctx.archive.ofStore(shop).urlOf(".unfinished/1.dead.part"));
  writeFileSync(unfinished, order);
  // The path of exports before every store had its own root in the archive.
  await service.objects.put(`gdpr/${shop}/old-${id}.json`, JSON.stringify({ email: who.email }));
  return id;
}

/** Checks that nothing identifies her: neither clear text nor remaining references. */
export async function expectNowhere(service: Service, who = ADA): Promise<void> {
  expect(
    await findEverywhere(service, [who.email, who.name, "7946 0018", "2079460018", "Lovelace"]),
  ).toEqual([]);
}
