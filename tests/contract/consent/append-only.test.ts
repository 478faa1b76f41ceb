import { afterAll, beforeAll, expect, it } from "vitest";
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
