// A shopper's names here and at the store: the store's win when they were changed there. An echo of our own write, another
// webhook or a sync that still has the former ones takes nothing back.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerWebhooks } from "../../../app/domain/tenants/storefront/webhook-registration.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";
import { setWatermark } from "../../support/storefront/synced-store.ts";
import {
  connectStorefront,
  getMe,
  mailedToken,
  newEmail,
  queueIsEmpty,
  signUp,
  verify,
  type Person,
} from "../../contract/identity/people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
  await service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);
  await registerWebhooks(service.ctx, SHOP);
});
afterAll(() => service.stop());

const nameOf = async ({ token }: Person): Promise<string> =>
  (await getMe(service, token)).json.user.full_name;
const columnsOf = async (email: string) => {
  const [row] = await service.database.query(
    `SELECT id, storefront_customer_gid AS gid, full_name, storefront_name_hash FROM storefront_users
      WHERE shop = $1 AND email = $2`,
    [SHOP, email],
  );
  return row;
};
const addTag = ({ token }: Person) =>
  service.call("POST", "/ucp/tags", { body: { add: ["campaign"] }, key: token });
const rename = ({ token }: Person, first: string, last: string) =>
  service.call("PATCH", "/auth/profile", {
    body: { first_name: first, last_name: last },
    key: token,
  });

/** Until what was enqueued is delivered, and the webhooks that the store sent for it are worked. */
async function settle(): Promise<void> {
  await queueIsEmpty(service);
  await service.sandbox.storefront.echoesSent();
  await inboxIsWorked(service);
  await queueIsEmpty(service);
}

/** A proven account with its customer at the store. */
async function customer(): Promise<Person> {
  const person = await signUp(service, { first_name: "Orig", last_name: "Inal" });
  await verify(service, await mailedToken(service, person.email, "/auth/verify-email"));
  await settle();
  return person;
}

/** A sync reads the customer as the store has it. */
async function syncCustomer({ id, email }: Person): Promise<void> {
  const { gid } = await columnsOf(email);
  await service.database.query(
    "UPDATE storefront_users SET storefront_updated_at = NULL WHERE id = $1",
    [id],
  );
  const updatedAt = new Date(Date.now() - 120_000).toISOString();
  service.sandbox.storefront.putCustomer(SHOP, { gid, updatedAt });
  await setWatermark(service, new Date(Date.now() - 600_000).toISOString());
  await service.call("POST", `/sync/customers?shop=${SHOP}`);
  const [row] = await service.database.query(
    "SELECT storefront_updated_at AS read FROM storefront_users WHERE id = $1",
    [id],
  );
  expect(row.read).not.toBeNull();
}

const changedRows = async (id: number): Promise<string[]> =>
  (
    await service.database.query(
      `SELECT channel FROM integration_queue WHERE shop = $1 AND entity_id = $2
        AND event_type = 'customer.updated' ORDER BY channel`,
      [SHOP, String(id)],
    )
  ).map(({ channel }) => channel);

describe("names that the shopper changed", () => {
  it("stay when the echo of our own tags arrives, which enqueues nothing", async () => {
    const person = await customer();
    expect((await rename(person, "Changed", "Byme")).status).toBe(200);
    const before = await changedRows(person.id);
    const answer = await addTag(person);
    expect(answer.json.added).toEqual(["campaign"]);
    await settle();
    expect(await nameOf(person)).toBe("Changed Byme");
    expect(await changedRows(person.id)).toEqual(before);
  });

  it("stay when a decision about marketing is written to the store and comes back", async () => {
    const person = await customer();
    await rename(person, "Changed", "Byme");
    await service.call("POST", "/auth/consent-sync", {
      body: { consent_marketing: true, method: "account" },
      key: person.token,
    });
    await settle();
    expect(await nameOf(person)).toBe("Changed Byme");
  });

  it("stay when a sync reads the customer", async () => {
    const person = await customer();
    await rename(person, "Changed", "Byme");
    await syncCustomer(person);
    expect(await nameOf(person)).toBe("Changed Byme");
  });

  it("give way to names that the store changed afterwards", async () => {
    const person = await customer();
    await rename(person, "Changed", "Byme");
    const { gid } = await columnsOf(person.email);
    await service.sandbox.storefront.changeCustomer(SHOP, gid, {
      firstName: "Corrected",
      lastName: "Bystaff",
    });
    await settle();
    expect(await nameOf(person)).toBe("Corrected Bystaff");
    expect((await changedRows(person.id)).length).toBeGreaterThan(0);
  });
});

it("the names of a sign-up that waited stay when its merged account is pushed to the store", async () => {
  const email = newEmail("known");
  await service.sandbox.storefront.createCustomer(SHOP, {
    email,
    firstName: "Real",
    lastName: "Name",
  });
  await settle();
  expect((await columnsOf(email)).full_name).toBe("Real Name");
  const person = await signUp(service, { email, first_name: "New", last_name: "Nom" });
  await verify(service, await mailedToken(service, email, "/auth/verify-email"));
  await settle();
  expect(await columnsOf(email)).toMatchObject({ full_name: "New Nom" });
  expect(await nameOf(person)).toBe("New Nom");
});

it.each(["webhook", "sync"])(
  "a row from before the names at the store were remembered gets them by a %s, without a row on the bus",
  async (way) => {
    const person = await customer();
    const { gid, storefront_name_hash: hash } = await columnsOf(person.email);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    await service.database.query(
      "UPDATE storefront_users SET storefront_name_hash = NULL WHERE id = $1",
      [person.id],
    );
    const before = await changedRows(person.id);
    if (way === "sync") await syncCustomer(person);
    else
      await service.sandbox.storefront.sendWebhook(SHOP, "customers/update", gid, {
        uri: `${service.url}/webhooks/customer-update`,
        triggeredAt: new Date(Date.now() + 5_000).toISOString(),
      });
    await settle();
    expect((await columnsOf(person.email)).storefront_name_hash).toBe(hash);
    expect(await changedRows(person.id)).toEqual(before);
  },
);

it("an account that leaves its customer at the store forgets the customer's names", async () => {
  const person = await customer();
  const { gid } = await columnsOf(person.email);
  service.sandbox.storefront.deleteCustomer(SHOP, gid);
  await service.sandbox.storefront.sendWebhook(SHOP, "customers/delete", gid, {
    uri: `${service.url}/webhooks/customers-delete`,
  });
  await settle();
  expect(await columnsOf(person.email)).toMatchObject({ gid: null, storefront_name_hash: null });
});
