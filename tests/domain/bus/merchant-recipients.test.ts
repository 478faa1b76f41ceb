// Who receives an alert when the storefront, which knows the store's own address, does not say it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  findMerchantRecipients,
  findStoreRecipients,
} from "../../../app/domain/mails/merchant-recipients.ts";
import type { Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  tenant = await installStore(service);
});
afterAll(() => service.stop());
beforeEach(() => service.sandbox.clearFaults());

const answerWith = (body: object) =>
  service.sandbox.failNext("storefront", { status: 200, body, match: "graphql" });
const NOBODY = { addresses: [], found: "nobody" };

test.each([
  ["no data", { data: {} }],
  ["no store", { data: { shop: null } }],
  [
    "a failure of its own",
    { errors: [{ message: "x", extensions: { code: "INTERNAL_SERVER_ERROR" } }] },
  ],
])("an alert does not wait for a storefront that answers with %s", async (_, body) => {
  answerWith(body);
  expect(await findMerchantRecipients(service.ctx, tenant, "alert_emails")).toEqual(NOBODY);
});

test("an alert waits for a storefront that does not answer", async () => {
  service.sandbox.failNext("storefront", { status: 503, match: "graphql" });
  await expect(findMerchantRecipients(service.ctx, tenant, "alert_emails")).rejects.toThrow("503");
});

test("a privacy request waits for the store's address, which a later answer may contain", async () => {
  answerWith({ data: {} });
  await expect(findMerchantRecipients(service.ctx, tenant, "privacy_emails")).rejects.toThrow(
    "without data",
  );
});

test.each(["alert_emails", "privacy_emails"] as const)(
  "mails to %s do not wait for a storefront that refuses to say the address",
  async (mail) => {
    service.sandbox.failNext("storefront", { status: 404, match: "graphql" });
    expect(await findMerchantRecipients(service.ctx, tenant, mail)).toEqual(NOBODY);
  },
);

test("a privacy request does not wait for a store that has withdrawn the app's access", async () => {
  const shop = "withdrawn.myshopify.com";
  const withdrawn = await installStore(service, shop);
  await service.sandbox.storefront.uninstall(shop, { silent: true });
  expect(await findMerchantRecipients(service.ctx, withdrawn, "privacy_emails")).toEqual(NOBODY);
});

describe("with operators who have addresses", () => {
  const ADMINS = ["operator@service.example"];
  const withAdmins = (): Service["ctx"] => ({
    ...service.ctx,
    config: { ...service.ctx.config, ADMIN_EMAILS: ADMINS },
  });
  beforeEach(() => service.sandbox.failNext("storefront", { status: 503, match: "graphql" }));

  test("an alert goes to them while the storefront does not answer", async () => {
    expect(await findMerchantRecipients(withAdmins(), tenant, "alert_emails")).toEqual({
      addresses: ADMINS,
      found: "admin_emails",
    });
  });

  test("a person's data does not: it waits for the store's address", async () => {
    await expect(findMerchantRecipients(withAdmins(), tenant, "privacy_emails")).rejects.toThrow(
      "503",
    );
  });

  test("what is for the store alone waits for its address, and is not left out", async () => {
    await expect(findStoreRecipients(withAdmins(), tenant, "alert_emails")).rejects.toThrow("503");
  });
});
