// A store with a catalog, verified shoppers, and the requests of agents and browsers.
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import { signUp, type Person } from "../../contract/identity/people.ts";
import { eventually, RETURN_ORIGIN, SHOP, type Answer, type Service } from "../service.ts";

const SCOPES =
  "read_customers,write_customers,read_products,read_orders,write_draft_orders,customer_read_customers";

/** Installs the app with the scopes that commerce needs. */
export async function openStore(service: Service, shop = SHOP, scope = SCOPES): Promise<void> {
  await service.addTenant(shop);
  const grant = service.sandbox.storefront.install(shop, { scope });
  await storeGrant(service.ctx, shop, {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresIn: grant.expires_in ?? null,
    scopes: scope.split(","),
  });
}

export type Shopper = Person & { gid: string };

/** Signs up, verifies the address, and links a customer of the storefront. */
export async function newShopper(service: Service, shop = SHOP): Promise<Shopper> {
  const person = await signUp(service, {}, shop);
  // The sign-up's own deliveries write to the row that is changed by hand here.
  if (service.hasWorkers)
    await eventually("the sign-up at the storefront", async () => {
      const open = await service.database.query(
        `SELECT 1 FROM integration_queue WHERE shop = $1 AND channel = 'storefront'
          AND status IN ('pending', 'processing', 'ready')`,
        [shop],
      );
      return open.length === 0;
    });
  const [row] = await service.database.query(
    "SELECT storefront_customer_gid FROM storefront_users WHERE shop = $1 AND id = $2",
    [shop, person.id],
  );
  const gid: string =
    row.storefront_customer_gid ??
    service.sandbox.storefront.putCustomer(shop, { email: person.email }).gid;
  await service.database.query(
    "UPDATE storefront_users SET email_verified = true, storefront_customer_gid = $3 WHERE shop = $1 AND id = $2",
    [shop, person.id, gid],
  );
  return { ...person, gid };
}

export async function consent(
  service: Service,
  person: Person,
  flags: Record<string, boolean>,
  shop = SHOP,
): Promise<void> {
  const answer = await service.call("POST", `/auth/consent-sync?shop=${shop}`, {
    key: person.token,
    body: { ...flags, method: "compliance-page" },
  });
  if (answer.status !== 200) throw new Error(`the consent was not taken: ${answer.text}`);
}

type Options = { body?: unknown; headers?: Record<string, string> };

/** Calls as an agent that holds the shopper's session token. */
export const asAgent = (
  service: Service,
  person: Person,
  method: string,
  path: string,
  options: Options = {},
): Promise<Answer> => service.call(method, path, { key: person.token, ...options });

/** Calls as a page of the store, with the shopper's cookie. */
export const asShopper = (
  service: Service,
  person: Person,
  method: string,
  path: string,
  { body, headers = {} }: Options = {},
): Promise<Answer> =>
  service.call(method, path, {
    key: null,
    body,
    headers: { Cookie: `__Host-crm_session=${person.token}`, Origin: RETURN_ORIGIN, ...headers },
  });

/**
 * A variant by its SKU; every sandbox store sells CAM-9 (40.00), LAN-G (25.00), LAN-R (out of stock) and
 * LMP-1 (60.00).
 */
export async function variantOf(
  service: Service,
  sku: string,
  shop = SHOP,
): Promise<{ id: string; productId: string }> {
  await getTenant(service.ctx, shop);
  const answer = await service.call("GET", `/commerce/products?shop=${shop}&first=100`, {
    key: null,
  });
  for (const product of answer.json.products)
    for (const variant of product.variants)
      if (variant.sku === sku) return { id: variant.id, productId: product.id };
  throw new Error(`${shop} sells no ${sku}`);
}

/** How many calls of this operation the storefront received. */
export const callsOf = (service: Service, operation: string): number =>
  service.sandbox
    .requests("storefront")
    .filter(({ body }) => JSON.stringify(body).includes(`${operation}(`)).length;
