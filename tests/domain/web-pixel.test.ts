// The store's web pixel at the platform: made where the scopes are, written again when its settings change.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startBackground } from "../../app/boot.server.ts";
import { runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../app/domain/scheduled-run/steps.ts";
import { pixelKey } from "../../app/domain/tenants/storefront/web-pixel/web-pixel-key.ts";
import {
  PIXEL_SCOPES,
  readWebPixel,
  restoreWebPixel,
  rotatePixelKey,
  writeWebPixel,
} from "../../app/domain/tenants/storefront/web-pixel/web-pixel.ts";
import { changeTenantRecord } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { WEB_PIXEL_CREATE } from "../../app/integrations/storefront/documents.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { installStore, storefrontCalls } from "../support/storefront/synced-store.ts";
import { statementsWait } from "../support/processes/locked-rows.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.sandbox.storefront.uninstall(shop, { silent: true }).catch(() => {});
    await installStore(service, shop);
  }
});

const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const pixel = (shop = SHOP) => service.sandbox.storefront.webPixel(shop);
const state = async (shop = SHOP) => readWebPixel(service.ctx, await tenant(shop));
/** As the platform does after the merchant's consent: the scopes, then the webhook about them. */
async function allow(shop = SHOP, scopes: readonly string[] = PIXEL_SCOPES): Promise<void> {
  await service.sandbox.storefront.grantScopes(shop, scopes);
  const { granted_scopes: known = [] } = (await tenant(shop)).connection;
  await changeTenantRecord(service.ctx, shop, {
    connection: { granted_scopes: [...new Set([...known, ...scopes])] },
  });
}

test("a store without both scopes has no pixel, no call is made, and the platform would refuse it", async () => {
  const before = service.sandbox.requests("storefront").length;
  for (const scopes of [[], ["write_pixels"]]) {
    await allow(SHOP, scopes);
    expect([await writeWebPixel(service.ctx, SHOP), await state()]).toEqual([
      "not_allowed",
      "not_allowed",
    ]);
  }
  expect(service.sandbox.requests("storefront")).toHaveLength(before);
  await expect(
    service.ctx.storefront.graphql(SHOP, (await tenant()).config.storefront_admin_token ?? "", {
      document: WEB_PIXEL_CREATE,
      variables: { webPixel: { settings: {} } },
    }),
  ).resolves.toMatchObject({
    errors: [{ message: expect.stringContaining("read_customer_events") }],
  });
});

test("the worker makes the pixel of the store that grants the scopes, and a second visit changes nothing", async () => {
  // Beside the other tests a worker would write what they are about to write.
  const background = await startBackground(service.ctx);
  onTestFinished(() => background.stop());
  await service.sandbox.storefront.grantScopes(SHOP, PIXEL_SCOPES);
  await service.webhook(
    "app-scopes-update",
    JSON.stringify({ current: ["write_customers", ...PIXEL_SCOPES] }),
    { headers: { "X-Storefront-Topic": "app/scopes_update" } },
  );
  await eventually("the pixel", () => pixel() !== null);
  await eventually("its record", async () => (await tenant()).connection.web_pixel !== undefined);
  expect(pixel()?.settings).toEqual({
    accountID: pixelKey(service.ctx, await tenant()),
    endpoint: `${service.url}/events/ingest?source=storefront_pixel&shop=${SHOP}`,
  });
  expect([await state(), pixel(OTHER_SHOP)]).toEqual(["active", null]);
  const before = service.sandbox.requests("storefront").length;
  expect(await writeWebPixel(service.ctx, SHOP)).toBe("unchanged");
  expect(service.sandbox.requests("storefront")).toHaveLength(before);
});

test("a new key reaches the pixel, and no other store's key is like it", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    await allow(shop);
    await writeWebPixel(service.ctx, shop);
  }
  const [old, other] = [pixel()?.settings.accountID, pixel(OTHER_SHOP)?.settings.accountID];
  expect(await rotatePixelKey(service.ctx, SHOP)).toBe("active");
  const now = pixel()?.settings.accountID;
  expect(new Set([old, other, now]).size).toBe(3);
  expect(pixel(OTHER_SHOP)?.settings.accountID).toBe(other);
});

test("a pixel that is known to the platform only, or to us only, is taken over or made again", async () => {
  await allow();
  await writeWebPixel(service.ctx, SHOP);
  const id = pixel()?.gid;
  await changeTenantRecord(service.ctx, SHOP, {
    connection: { web_pixel: null, pixel_key_version: 7 },
  });
  expect(await state()).toBe("outdated");
  expect([await restoreWebPixel(service.ctx, SHOP), pixel()?.gid]).toEqual(["active", id]);

  service.sandbox.storefront.ensureShop(SHOP).webPixel = null;
  expect(await state()).toBe("none");
  await changeTenantRecord(service.ctx, SHOP, { connection: { pixel_key_version: 8 } });
  await writeWebPixel(service.ctx, SHOP);
  expect([await state(), pixel()?.gid === id]).toEqual(["active", false]);
});

test("the scheduled run makes up for a platform that did not answer", async () => {
  await allow();
  service.sandbox.failNext("storefront", { status: 503, match: "graphql" });
  const steps = TENANT_STEPS.filter(({ name }) => name === "web_pixel");
  const run = () => runScheduledNow(service.ctx, { steps });
  expect((await run()).errors_total).toBe(1);
  expect((await run()).errors_total).toBe(0);
  expect([await state(), storefrontCalls(service, "WebPixelCreate") > 0]).toEqual(["active", true]);
});

test("a platform that names the pixel and no list of errors has made it", async () => {
  await allow();
  const id = "gid://shopify/WebPixel/77";
  for (const name of ["webPixelCreate", "webPixelUpdate"]) {
    const body = { data: { [name]: { webPixel: { id } } } };
    service.sandbox.failNext("storefront", { status: 200, body, match: "graphql" });
    expect(await writeWebPixel(service.ctx, SHOP)).toBe("written");
    const { web_pixel, pixel_key_version = 1 } = (await tenant()).connection;
    expect(web_pixel?.id).toBe(id);
    await changeTenantRecord(service.ctx, SHOP, {
      connection: { pixel_key_version: pixel_key_version + 1 },
    });
  }
});

test("two writers of one pixel at the same moment both end with it, made once", async () => {
  await allow();
  const before = storefrontCalls(service, "WebPixelCreate");
  const both = await Promise.all([1, 2].map(() => writeWebPixel(service.ctx, SHOP)));
  expect(both.toSorted()).toEqual(["unchanged", "written"]);
  expect([await state(), storefrontCalls(service, "WebPixelCreate") - before]).toEqual([
    "active",
    1,
  ]);
});

test("a writer that waited while another one wrote the pixel makes no call", async () => {
  await allow();
  await writeWebPixel(service.ctx, SHOP);
  const { web_pixel: written = null } = (await tenant()).connection;
  await changeTenantRecord(service.ctx, SHOP, { connection: { web_pixel: null } });
  const before = service.sandbox.requests("storefront").length;
  const other = new pg.Client({ connectionString: service.database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("BEGIN");
  await other.query(
    "INSERT INTO kv (shop, key, value) VALUES ($1, 'lease:web_pixel', '\"other\"')",
    [SHOP],
  );
  const waiting = writeWebPixel(service.ctx, SHOP);
  await statementsWait(service.database);
  await changeTenantRecord(service.ctx, SHOP, { connection: { web_pixel: written } });
  await other.query("ROLLBACK");
  expect(await waiting).toBe("unchanged");
  expect(service.sandbox.requests("storefront")).toHaveLength(before);
});

test("the platform refuses settings that the extension does not define", async () => {
  await allow();
  const token = (await tenant()).config.storefront_admin_token ?? "";
  for (const settings of [{}, { accountID: "short", endpoint: "https://x.example" }, "{"])
    await expect(
      service.ctx.storefront.graphql(SHOP, token, {
        document: WEB_PIXEL_CREATE,
        variables: { webPixel: { settings } },
      }),
    ).resolves.toMatchObject({
      data: { webPixelCreate: { webPixel: null, userErrors: [{ code: "INVALID_SETTINGS" }] } },
    });
  expect(pixel()).toBeNull();
});
