// A screen whose data cannot be read says so with the status that the endpoints answer with.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const BROWSER = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36" };
let service: Service;
let home: DatabaseProxy;
let eu: TestDatabase;

beforeAll(async () => {
  eu = await freshDatabase();
  service = await startService({
    withScreens: true,
    env: { DATABASE_URL_EU: eu.serviceUrl },
    databaseThrough: async (url) => (home = await startDatabaseProxy(url)).url,
  });
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.addTenant(shop);
    const reply = service.sandbox.storefront.install(shop);
    await storeGrant(service.ctx, shop, {
      accessToken: reply.access_token,
      refreshToken: reply.refresh_token ?? null,
      expiresIn: 3_600,
      scopes: reply.scope.split(","),
    });
  }
  await changeTenantRecord(service.ctx, SHOP, { set: { region: "eu" } });
  // From here on the process knows the stores.
  for (const shop of [SHOP, OTHER_SHOP]) await open(shop, "/app");
  await home.refuse();
});
afterAll(async () => {
  await home.restore();
  await service.stop();
  await home.stop();
  await eu.drop();
});

const open = async (shop: string, path: string) =>
  fetch(await adminUrl(service, shop, path), { headers: BROWSER, redirect: "manual" });

describe("while the database is away", () => {
  test.each(["/app", "/app/setup", "/app/customers"])(
    "%s is answered with 503, Retry-After and a page",
    async (path) => {
      const answer = await open(OTHER_SHOP, path);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    },
  );

  test("the data of a screen and the operator's page are answered with 503 and Retry-After", async () => {
    const token = await service.sandbox.storefront.sessionToken(OTHER_SHOP);
    for (const [path, key] of [
      [`/app/customers.data?shop=${OTHER_SHOP}`, token],
      ["/setup", ADMIN_KEY],
    ] as const) {
      const answer = await service.call("GET", path, { headers: BROWSER, key });
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
    }
  });

  test.each(["/app", "/app/setup", "/app/customers"])(
    "%s opens for a store of another cell",
    async (path) => {
      expect((await open(SHOP, path)).status).toBe(200);
    },
  );
});
