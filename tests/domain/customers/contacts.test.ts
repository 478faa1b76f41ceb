// Contacts: addresses that somebody entered in a form. What makes a customer of one, and what takes none for one.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetStorefrontCustomer } from "../../../app/domain/customers/deleted-customers.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { applyMigrations } from "../../../app/runtime/database/migrations/apply-migrations.ts";
import {
  forgot,
  mailedLink,
  mailedToken,
  PASSWORD,
  reset,
  signUp,
} from "../../contract/identity/people.ts";
import { syncAnonymous } from "../../support/consent.ts";
import { emptyDatabase } from "../../support/database.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { taggedStore, type TaggedStore } from "../../support/storefront/tagged-store.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
let store: TaggedStore;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
  await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
});
afterAll(() => service.stop());

const settled = async () => {
  await service.sandbox.storefront.echoesSent();
  await store.handled();
  await store.delivered();
};
const enter = (email: string) =>
  syncAnonymous(service, {
    method: "newsletter_form",
    form_type: "newsletter",
    consent_marketing: true,
    email,
  });
const rowOf = async (email: string) =>
  (await service.database.query("SELECT * FROM storefront_users WHERE email = $1", [email]))[0];
const cmsItemOf = (userId: number) =>
  service.sandbox.cms.items().find(({ fieldData }) => fieldData.slug === `customer-${userId}`);

test("a choice that the owner confirms reaches the store, also while a stranger's sign-up waits for the address", async () => {
  const email = "beside@example.com";
  await enter(email);
  const link = new URL(await mailedLink(service, email, "/auth/consent-confirm"));
  await signUp(service, { email });
  const confirmed = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
    key: null,
    body: { token: link.searchParams.get("token") },
  });
  expect(confirmed.status).toBe(200);
  await settled();
  expect((await rowOf(email)).email_verified).toBe(false);
  expect(store.customerOf(SHOP, email)?.tags).toContain("accepts_marketing");
});

test("a contact who has become a customer stays one when the store changes the address and deletes its customer", async () => {
  const [email, changed] = ["becomes@example.com", "changed@example.com"];
  await enter(email);
  await forgot(service, email);
  await reset(service, await mailedToken(service, email, "/auth/password/reset"), PASSWORD);
  const { id, gid } = await eventually("the store's customer", async () => {
    const { id, storefront_customer_gid: gid } = await rowOf(email);
    return gid !== null && { id, gid };
  });
  await settled();
  const tenant = await getTenant(service.ctx, SHOP);
  await changeAtStore(service, { gid, email: changed, changedAt: new Date(Date.now() + 2_000) });
  await forgetStorefrontCustomer(service.ctx, tenant, gid);
  await settled();
  expect(await rowOf(changed)).toMatchObject({
    id,
    status: "active",
    email_verified: false,
    storefront_customer_gid: null,
  });
  expect(cmsItemOf(id)?.fieldData.email).toBe(changed);
});

test("an update takes contacts of before for contacts, and neither imported customers nor confirmed contacts", async () => {
  const migrations = join(import.meta.dirname, "../../../prisma/migrations");
  const [folder, database] = await Promise.all([
    mkdtemp(join(tmpdir(), "contacts-")),
    emptyDatabase(),
  ]);
  try {
    const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).toSorted();
    const copy = (some: string[]) =>
      Promise.all(
        some.map((name) => cp(join(migrations, name), join(folder, name), { recursive: true })),
      );
    const at = names.findIndex((name) => name.endsWith("_contacts"));
    await copy(names.slice(0, at));
    await applyMigrations(database.url, { folder });
    await database.query(
      `INSERT INTO storefront_users (shop, email, provider, created_at)
       SELECT $1, name || '@example.com', 'email', now() - interval '1 year'
       FROM unnest(ARRAY['entered', 'confirmed', 'imported']) AS name`,
      [SHOP],
    );
    await database.query(
      `INSERT INTO user_extras (shop, user_id, updated_at)
       SELECT shop, id, created_at FROM storefront_users WHERE email <> 'imported@example.com'`,
    );
    await database.query(
      `INSERT INTO consent_records (shop, user_id, consent_type, action, method, timestamp)
       SELECT shop, id, 'marketing', 'granted', 'newsletter_form', now()::text
       FROM storefront_users WHERE email = 'confirmed@example.com'`,
    );
    await copy(names.slice(at));
    await applyMigrations(database.url, { folder });
    expect(
      await database.query(
        `SELECT u.email FROM storefront_users u JOIN user_extras e ON e.shop = u.shop AND e.user_id = u.id
          WHERE e.is_contact`,
      ),
    ).toEqual([{ email: "entered@example.com" }]);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
