// The service with its screens, as the tests of the merchant's side start it.
import { changeTenantRecord, registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import {
  APP_SECRET,
  CLIENT_ID,
  startService,
  type Service,
  type ServiceOptions,
} from "../service.ts";

export { ADMIN_KEY } from "../service.ts";
export const APP = { clientId: CLIENT_ID, clientSecret: APP_SECRET };
const SCOPES_OF_BARE = "write_customers,read_products,read_orders,read_customer_merge";
const SCOPES = "read_customers,write_customers,read_products,read_orders,read_customer_merge";

export type TestApp = Service;

/** `appSecrets`: the newest first, as while the app's secret is rotated. */
export function startTestApp({
  appSecrets = [APP_SECRET],
  env,
  ...options
}: ServiceOptions & { appSecrets?: string[] } = {}): Promise<TestApp> {
  return startService({
    ...options,
    env: { SCOPES, RATE_LIMIT_SCALE: "1", PLATFORM_APP_SECRET: appSecrets.join(","), ...env },
  });
}

/** What the admin calls itself in the addresses of the app: the parameter `host`. */
const adminHostOf = (shop: string): string =>
  Buffer.from(`admin.shopify.com/store/${shop.replace(".myshopify.com", "")}`).toString(
    "base64url",
  );

export type StoreOptions = {
  /** Settings that the store has saved. */
  fields?: Record<string, unknown>;
  /** What the store has allowed the app. */
  scope?: string;
  /** With the systems that `addTenant` connects; otherwise only the store. */
  withSystems?: boolean;
};

/** A store with the app installed, as if a merchant had done it. */
export async function connectStore(
  app: TestApp,
  shop: string,
  { fields = {}, withSystems, scope = withSystems ? undefined : SCOPES_OF_BARE }: StoreOptions = {},
): Promise<void> {
  if (withSystems) await app.addTenant(shop, fields);
  else await registerTenant(app.ctx, shop);
  const reply = app.sandbox.storefront.install(shop, scope === undefined ? {} : { scope });
  await storeGrant(app.ctx, shop, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: 3_600,
    scopes: reply.scope.split(","),
  });
  if (!withSystems && Object.keys(fields).length > 0)
    await changeTenantRecord(app.ctx, shop, { set: fields });
}

/** The address at which the admin opens a page of the app. */
export async function adminUrl(
  app: Pick<TestApp, "url" | "sandbox">,
  shop: string,
  path = "/app",
  { locale = "en", token }: { locale?: string | undefined; token?: string } = {},
): Promise<string> {
  const [pathname, query] = path.split("?");
  const asked = new URLSearchParams(query);
  for (const [name, value] of Object.entries({
    embedded: "1",
    shop,
    host: adminHostOf(shop),
    locale,
    id_token: token ?? (await app.sandbox.storefront.sessionToken(shop)),
  }))
    asked.set(name, value);
  return `${app.url}${pathname}?${asked}`;
}

/** Sends a page's loader or action request with a session token of that store. */
export async function askAs(
  app: TestApp,
  shop: string,
  path: string,
  action?: { intent: string; [field: string]: unknown },
): Promise<{ status: number; text: string }> {
  const response = await fetch(app.url + path, {
    method: action ? "POST" : "GET",
    redirect: "manual",
    headers: {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36",
      Authorization: `Bearer ${await app.sandbox.storefront.sessionToken(shop)}`,
      ...(action && { "Content-Type": "application/json" }),
    },
    ...(action && { body: JSON.stringify(action) }),
  });
  return { status: response.status, text: await response.text() };
}

/** How many token requests of this kind the platform received. */
export function countGrants(
  app: TestApp,
  shop: string,
  grantType: "token-exchange" | "refresh_token",
): number {
  return app.sandbox
    .requests("storefront")
    .filter(
      ({ path, body }) =>
        path === `/${shop}/admin/oauth/access_token` &&
        String((body as { grant_type?: string }).grant_type).endsWith(grantType),
    ).length;
}
