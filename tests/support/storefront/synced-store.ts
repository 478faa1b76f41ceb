// A store with a token and customers, for the tests of the sync.
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import { SHOP, type Service } from "../service.ts";

const SCOPES = ["read_customers", "write_customers"];

/** Registers the store and installs the app, with the result of the install flow. */
export async function installStore(
  service: Service,
  shop: string = SHOP,
  fields: Record<string, unknown> = {},
): Promise<Tenant> {
  await service.addTenant(shop, fields);
  const grant = service.sandbox.storefront.install(shop, { scope: SCOPES.join(",") });
  await storeGrant(service.ctx, shop, {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresIn: grant.expires_in ?? null,
    scopes: SCOPES,
  });
  return getTenant(service.ctx, shop);
}

export const secondsAgo = (seconds: number): string =>
  new Date(Date.now() - seconds * 1_000).toISOString().replace(/\.\d+Z$/, "Z");

export const daysAgo = (days: number): string => secondsAgo(days * 86_400);

/**
 * Creates `count` customers changed at the times of `changedAt`, without webhooks. Returns their gids in
 * order.
 */
export function putCustomers(
  service: Service,
  count: number,
  changedAt: (index: number) => string,
  shop: string = SHOP,
): string[] {
  return Array.from(
    { length: count },
    (_, index) =>
      service.sandbox.storefront.putCustomer(shop, {
        firstName: `Customer ${index}`,
        email: `customer-${index}@${shop}`,
        createdAt: "2026-01-01T00:00:00Z",
        updatedAt: changedAt(index),
      }).gid,
  );
}

/** Marks everything up to `at` as synced, so that the next sync uses pages. */
export async function setWatermark(
  service: Service,
  at: string,
  shop: string = SHOP,
): Promise<void> {
  await service.database.query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, 'sync:customers', $2) ON CONFLICT (shop, key)
      DO UPDATE SET value = excluded.value`,
    [shop, JSON.stringify({ watermark: at })],
  );
}

export async function syncState(
  service: Service,
  shop: string = SHOP,
): Promise<Record<string, any>> {
  const [row] = await service.database.query(
    "SELECT value FROM kv WHERE shop = $1 AND key = 'sync:customers'",
    [shop],
  );
  return row?.value;
}

/** How many rows of each channel the queue has. */
export async function queued(
  service: Service,
  shop: string = SHOP,
): Promise<Record<string, number>> {
  const rows = await service.database.query(
    `SELECT channel, count(*)::int AS count FROM integration_queue WHERE shop = $1 GROUP BY channel
      ORDER BY channel`,
    [shop],
  );
  return Object.fromEntries(rows.map(({ channel, count }) => [channel, count]));
}

/** Storefront calls by operation name. */
export function storefrontCalls(service: Service, name: string): number {
  return service.sandbox
    .requests("storefront")
    .filter(
      ({ body }) =>
        JSON.stringify(body).includes(`${name}(`) || JSON.stringify(body).includes(`${name} {`),
    ).length;
}

/** Runs a function before (or, as `when` says, after) a call to the storefront. */
export function around(
  service: Service,
  before: (
    call: number,
    asked: { document: string; variables?: Record<string, unknown> },
  ) => unknown,
  after: (call: number) => unknown = () => {},
): () => void {
  const { storefront } = service.ctx;
  const { graphql } = storefront;
  let calls = 0;
  storefront.graphql = async (...args) => {
    const call = calls++;
    await before(call, args[2]);
    const answer = await graphql<any>(...args);
    await after(call);
    return answer;
  };
  return () => {
    storefront.graphql = graphql;
  };
}
