// An erasure of a person whose item is in a CMS that the store has disconnected.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADA, redact, seedPersonEverywhere, startPrivacyService } from "../../support/privacy.ts";
import { SHOP, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP, { cms_api_token: null });
});
afterAll(() => service.stop());

test("ends with the item as what was kept, and why", async () => {
  const userId = await seedPersonEverywhere(service, SHOP);
  await service.database.query("UPDATE storefront_users SET cms_item_id = 'item' WHERE id = $1", [
    userId,
  ]);
  expect(await redact(service, ADA)).toMatchObject({
    state: "retained",
    steps: { cms: { outcome: "no_access" } },
    evidence: { kept_because: [`the CMS item of account ${userId} cannot be reached`] },
  });
});
