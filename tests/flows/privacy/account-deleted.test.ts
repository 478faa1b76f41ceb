// What stays of an account that its owner deleted: nothing, also not what was archived of it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { findEverywhere, startPrivacyService, temporaryArchive } from "../../support/privacy.ts";
import { eventually, SHOP, type Service } from "../../support/service.ts";
import { newEmail, PASSWORD, queueIsEmpty, signUp } from "../../contract/identity/people.ts";

let service: Service;
const ARCHIVE = temporaryArchive();

beforeAll(async () => {
  service = await startPrivacyService(ARCHIVE);
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const archivedOf = async (words: string[]) =>
  (await findEverywhere(service, words)).filter((place) => place.includes("events/"));

it("a deleted account's archived messages go with the next scheduled run, and nobody else's", async () => {
  const [gone, kept] = [newEmail("gone"), newEmail("kept")];
  const { token } = await signUp(service, { email: gone, last_name: "Goneunique" });
  await signUp(service, { email: kept, last_name: "Keptunique" });
  await queueIsEmpty(service);
  await eventually("both archived", async () => {
    const places = await archivedOf([gone, kept]);
    return places.length >= 2;
  });
  const deleted = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
    key: token,
    body: { password: PASSWORD },
  });
  expect(deleted.status).toBe(200);
  await queueIsEmpty(service);
  const { json } = await service.call("POST", "/admin/scheduled-run");
  expect(json.report.steps.deleted_accounts).toMatchObject({ failed: 0, counts: { accounts: 1 } });
  expect(await findEverywhere(service, [gone, "Goneunique"])).toEqual([]);
  expect(await archivedOf([kept])).not.toEqual([]);
  const marks = "SELECT 1 FROM kv WHERE key LIKE 'deleted_account:%'";
  expect(await service.database.query(marks)).toEqual([]);
});
