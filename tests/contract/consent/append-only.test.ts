import { afterAll, beforeAll, expect, it } from "vitest";
import { SHOP } from "../../support/service.ts";
import {
  expectAgreement,
  signUp,
  startConsentService,
  type ConsentService,
} from "../../support/consent.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
  await signUp(service);
});
afterAll(() => service.stop());

it.each([
  "UPDATE consent_records SET action = 'granted'",
  "UPDATE consent_records SET action = 'granted' WHERE false",
  "DELETE FROM consent_records",
  "DELETE FROM consent_records WHERE seq = 1",
  "TRUNCATE consent_records",
  `INSERT INTO consent_records SELECT * FROM consent_records ON CONFLICT (shop, id) DO UPDATE
    SET action = 'revoked'`,
  "MERGE INTO consent_records c USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
])("the database rejects: %s", async (statement) => {
  const before = await service.database.query("SELECT * FROM consent_records ORDER BY seq");
  await expect(service.database.query(statement)).rejects.toMatchObject({
    code: "23000",
    message: expect.stringContaining("consent_records is append-only") as string,
  });
  expect(await service.database.query("SELECT * FROM consent_records ORDER BY seq")).toEqual(
    before,
  );
});

it("the database rejects a second row at the same position of the chain", async () => {
  await expect(
    service.database.query(
      `INSERT INTO consent_records (shop, consent_type, action, method, consent_id, seq, prev_hash,
        hash) SELECT shop, consent_type, action, method, consent_id, seq, prev_hash, hash FROM consent_records`,
    ),
  ).rejects.toMatchObject({ code: "23505" });
  await expectAgreement(service);
});

it("a record that is inserted by hand with the contract's columns continues the chain, as do those after it", async () => {
  const [{ id: user }] = await service.database.query(
    "SELECT min(id) AS id FROM storefront_users WHERE shop = $1",
    [SHOP],
  );
  await service.database.query(
    `INSERT INTO consent_records (shop, user_id, consent_type, action, method, consent_version, consent_id,
       user_agent, ga_session_id, timestamp)
     VALUES ($1, $2, 'analytics_partners', 'granted', 'import', 'v "1" é\\', 'imported', NULL, '17', '2024-01-01'),
       ($1, $2, 'analytics_partners', 'revoked', 'import', NULL, NULL, NULL, NULL, NULL),
       ('new-store.myshopify.com', NULL, 'tos', 'granted', 'import', NULL, NULL, NULL, NULL, NULL)`,
    [SHOP, user],
  );
  await signUp(service);
  const answer = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`);
  expect(answer.json).toMatchObject({ ok: true, problems: [] });
  const rows = await service.database.query(
    "SELECT consent_id FROM consent_records WHERE shop = $1 AND method = 'import' ORDER BY seq",
    [SHOP],
  );
  expect(rows).toEqual([
    { consent_id: "imported" },
    { consent_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ]);
});
