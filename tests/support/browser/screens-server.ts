// The service with its screens, as the tests of the merchant's side start it.
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
export const adminHostOf = (shop: string): string =>
  Buffer.from(`admin.shopify.com/store/${shop.replace(".myshopify.com", "")}`).toString(
    "base64url",
  );

/** Stores the tokens of an install without the browser. */
export async function installApp(
  { ctx, sandbox }: TestApp,
  shop: string,
  { scope, expiresIn }: { scope?: string; expiresIn: number },
): Promise<void> {
  const reply = sandbox.storefront.install(shop, scope === undefined ? {} : { scope });
  await storeGrant(ctx, shop, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn,
    scopes: reply.scope.split(","),
  });
}

/** The address at which the admin opens the app. */
export async function embeddedUrl(
  app: TestApp,
  shop: string,
  options: { path?: string; token?: string } = {},
): Promise<string> {
  const query = new URLSearchParams({
    embedded: "1",
    shop,
    host: adminHostOf(shop),
    id_token: options.token ?? (await app.sandbox.storefront.sessionToken(shop)),
  });
  return `${app.url}${options.path ?? "/app"}?${query}`;
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
