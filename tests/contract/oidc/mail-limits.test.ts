// Mails that a sign-in with an identity provider sends to an address that nobody proved.
import { afterAll, beforeAll, expect, it } from "vitest";
import { putPerson, sessionOf, signInAs } from "../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { deleteMe, newEmail } from "../identity/people.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMIT_SCALE: "1" } });
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const mails = () =>
  service.database.query(
    `SELECT event_type, count(*)::int AS n FROM integration_queue
      WHERE event_type LIKE 'mail.%' GROUP BY 1 ORDER BY 1`,
  );

it("an unproven address gets at most five mails of each kind an hour, however often accounts with it are made and deleted", async () => {
  const email = newEmail("bombed");
  for (let round = 0; round < 7; round += 1) {
    const sub = putPerson(service, "federated", email, { isVerified: false });
    const token = sessionOf(await signInAs(service, "federated", sub)) as string;
    expect((await deleteMe(service, token)).status).toBe(200);
    // Another account at the provider says that it has the address.
    service.sandbox.federated.removePerson(email);
  }
  expect(await mails()).toEqual([
    { event_type: "mail.account_deleted", n: 5 },
    { event_type: "mail.verify_email", n: 5 },
  ]);
});
