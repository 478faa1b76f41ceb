// Regions whose database has a separate role for the service beside the owner.
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let us: TestDatabase;
let ap: TestDatabase;

beforeAll(async () => {
  [us, ap] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  service = await startService({
    background: true,
    env: {
      DATABASE_URL_US: us.serviceUrl,
      DIRECT_DATABASE_URL_US: us.url,
      // Without the owner's address.
      DATABASE_URL_AP: ap.serviceUrl,
    },
    envFrom: (_sandbox, database) => ({ DIRECT_DATABASE_URL: database.url }),
  });
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await service.stop();
  for (const database of [us, ap]) await database.drop();
});

const provision = (region: string) =>
  service.call("POST", `/admin/provision-region?shop=${SHOP}`, { body: { region } });

test("a region without its owner's address reports what is missing, and no store is assigned to it", async () => {
  const answer = await provision("ap");
  expect([answer.status, answer.json.code]).toEqual([503, "database_unavailable"]);
  expect(answer.json.message).toContain("DIRECT_DATABASE_URL");
  expect(answer.text).not.toContain("postgresql://");
  expect((await service.call("GET", `/config?shop=${SHOP}`)).json.config.region).toBe("default");
});

test("a region with both is migrated by its owner and serves its stores with the service's role", async () => {
  expect((await provision("us")).json).toMatchObject({ ok: true, region: "us" });
  expect((await service.webhook("customer-update", CUSTOMER_2024_10)).status).toBe(200);
  await eventually(
    "the customer in its region",
    async () =>
      (await us.query("SELECT 1 FROM storefront_users WHERE shop = $1", [SHOP])).length === 1,
  );
  await expect(
    service.ctx.regions.get("us").acrossTenants("DELETE FROM consent_records"),
  ).rejects.toThrow("permission denied");
});
