// The welcome mail of a new storefront customer.
import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import {
  CUSTOMER_2024_10,
  CUSTOMER_2026_07,
  customerPayload,
} from "../../support/storefront/payloads.ts";
import { connectStore, deliver } from "../../support/storefront/storefront.ts";
import { letRetriesComeDue } from "../../support/bus/queue.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

const MAIL = {
  email_api_key: "store-mail-key-0123456789",
  email_from: "Test Store <hello@test-store.example>",
};
const WITHOUT_TOKEN = {
  storefront_admin_token: null,
  storefront_refresh_token: null,
  storefront_token_expires_at: null,
};
let service: Service;
let id = 7_000;

beforeAll(async () => {
  service = await startService({ background: true, env: { EMAIL_API_KEY: "", EMAIL_FROM: "" } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  id += 1;
  await service.addTenant(SHOP, {
    ...MAIL,
    ...WITHOUT_TOKEN,
    locale: null,
    brand_name: "Test Store",
  });
});

const address = () => `new-${id}@store.example`;
const payload = (values: Record<string, string> = {}, base = CUSTOMER_2024_10) =>
  customerPayload(
    {
      id: String(id),
      admin_graphql_api_id: `"gid://shopify/Customer/${id}"`,
      email: `"${address()}"`,
      ...values,
    },
    base,
  );
const mails = () => service.sandbox.email.mailsTo(address());
const mail = () => eventually("the welcome mail", () => mails()[0]);
const rows = () =>
  service.database.query("SELECT status FROM integration_queue WHERE channel = 'email'");
const quiet = () =>
  eventually(
    "the queue to be empty",
    async () =>
      (await service.database.query("SELECT 1 FROM integration_queue WHERE status <> 'delivered'"))
        .length === 0,
  );

describe("a new customer", () => {
  test("of a store that uninstalled the app meanwhile gets none", async () => {
    await changeTenantRecord(service.ctx, SHOP, {
      connection: { uninstalled_at: new Date().toISOString() },
    });
    const before = (await rows()).length;
    await deliver(service, "customer-create", payload());
    await changeTenantRecord(service.ctx, SHOP, { connection: { uninstalled_at: null } });
    expect(await rows()).toHaveLength(before);
    expect(mails()).toEqual([]);
  });

  test("gets one mail from the store with a personal link", async () => {
    await deliver(service, "customer-create", payload());
    const { from, to, subject, text, html } = await mail();
    expect({ from, to, subject }).toEqual({
      from: MAIL.email_from,
      to: [address()],
      subject: "Welcome to Test Store",
    });
    expect(text).toMatch(
      new RegExp(
        `^Hello Bob,\n[^]*${service.url}/auth/password/reset\\?shop=${SHOP}&locale=en&token=[\\w-]{43}\n`,
      ),
    );
    expect(html).toContain(`href="${service.url}/auth/password/reset?`);
    const last = service.sandbox.requests("email").at(-1);
    expect(last?.headers.authorization).toBe(`Bearer ${MAIL.email_api_key}`);
  });

  test("gets no second one from repeated deliveries, later updates or a second customers/create", async () => {
    await deliver(service, "customer-create", payload(), { id: `once-${id}` });
    await mail();
    await service.webhook("customer-create", payload(), {
      headers: { "X-Shopify-Webhook-Id": `once-${id}` },
    });
    await deliver(service, "customer-create", payload({ first_name: '"Robert"' }));
    await deliver(service, "customer-update", payload({ first_name: '"Rob"' }));
    await quiet();
    expect(mails()).toHaveLength(1);
  });

  test("gets it once although the mail service is down at first", async () => {
    service.sandbox.failNext("email", { status: 500 }, 1);
    await deliver(service, "customer-create", payload());
    await eventually(
      "a failed attempt",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM integration_queue WHERE channel = 'email' AND retry_count = 1",
          )
        ).length === 1,
    );
    await letRetriesComeDue(service.database);
    await mail();
    await quiet();
    expect(mails()).toHaveLength(1);
  });

  test("gets none when an update arrives first, or without an address", async () => {
    const before = (await rows()).length;
    await deliver(service, "customer-update", payload());
    id += 1;
    await deliver(service, "customer-create", payload({ email: "null" }));
    await quiet();
    expect(mails()).toEqual([]);
    expect((await rows()).length).toBeLessThanOrEqual(before + 1);
  });

  test("with an account that signed up here before gets none", async () => {
    await service.database.query(
      "INSERT INTO storefront_users (shop, email, password_hash, email_verified) VALUES ($1, $2, 'x', true)",
      [SHOP, address()],
    );
    await deliver(service, "customer-create", payload());
    await quiet();
    expect(mails()).toEqual([]);
  });

  test("is welcomed when an unverified sign-up had the address before", async () => {
    await service.database.query(
      "INSERT INTO storefront_users (shop, email, password_hash) VALUES ($1, $2, 'x')",
      [SHOP, address()],
    );
    await deliver(service, "customer-create", payload());
    expect((await mail())?.to).toEqual([address()]);
  });

  test("of a store without a mail service causes no mail and no row", async () => {
    const shop = "without-mails.myshopify.com";
    await service.addTenant(shop);
    await deliver(service, "customer-create", payload(), { shop });
    expect(
      await service.database.query(
        "SELECT 1 FROM integration_queue WHERE channel = 'email' AND shop = $1",
        [shop],
      ),
    ).toEqual([]);
  });

  test("of a store whose destination list omits mails is mailed anyway: the list applies to events", async () => {
    const shop = "few-destinations.myshopify.com";
    await service.addTenant(shop, { ...MAIL, enabled_channels: ["cms"] });
    await deliver(service, "customer-create", payload(), { shop });
    expect(
      await service.database.query(
        "SELECT 1 FROM integration_queue WHERE channel = 'email' AND shop = $1",
        [shop],
      ),
    ).toHaveLength(1);
  });
});

describe("the link", () => {
  const tokenOf = (text: string | null) => /token=([\w-]{43})/.exec(text ?? "")?.[1] as string;

  test("is stored only as a hash, for 24 hours, for this account only", async () => {
    await deliver(service, "customer-create", payload());
    const token = tokenOf((await mail()).text);
    const [row] = await service.database.query(
      `SELECT k.*, u.email, u.id AS user_id FROM kv k JOIN storefront_users u ON u.shop = k.shop
        AND u.id = (k.value->>'user_id')::int WHERE k.key = $1`,
      [`password_link:${hash("sha256", token)}`],
    );
    expect(row).toMatchObject({ shop: SHOP, email: address() });
    expect(row.value).toEqual({
      user_id: Number(row.user_id),
      epoch: null,
      email_hmac: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Math.abs(row.expires_at.getTime() - Date.now() - 86_400_000)).toBeLessThan(30_000);
    const tables = await service.database.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of tables)
      expect(
        JSON.stringify(
          await service.database.query(`SELECT row_to_json(t)::text FROM "${name}" t`),
        ),
      ).not.toContain(token);
    expect(JSON.stringify(service.logged)).not.toContain(token);
  });

  test("differs in every mail", async () => {
    await deliver(service, "customer-create", payload());
    const first = tokenOf((await mail()).text);
    id += 1;
    await deliver(service, "customer-create", payload());
    expect(tokenOf((await mail()).text)).not.toBe(first);
  });
});

describe("a name from an unverified sign-up", () => {
  test("adds no header, line or markup to the mail", async () => {
    await deliver(
      service,
      "customer-create",
      payload({
        first_name: String.raw`"Eve\r\nBcc: victim@store.example\u2028<img src=x onerror=alert(1)>&\"'"`,
      }),
    );
    const { subject, text, html, to } = await mail();
    expect(to).toEqual([address()]);
    expect(subject).toBe("Welcome to Test Store");
    expect((text ?? "").split("\n")[0]).toBe(
      `Hello Eve Bcc: victim@store.example <img src=x onerror=alert(1)>&"',`,
    );
    expect(html).not.toMatch(/<img|onerror=alert\(1\)>/);
  });

  test("as a store's brand adds no header either", async () => {
    await service.addTenant(SHOP, { ...MAIL, brand_name: "Brand\r\nBcc: victim@store.example" });
    await deliver(service, "customer-create", payload());
    const { subject, to } = await mail();
    expect([subject, to]).toEqual(["Welcome to Brand Bcc: victim@store.example", [address()]]);
  });
});

describe("its language", () => {
  test.each([
    ["es", "Te damos la bienvenida a Test Store", "Hola, Bob:"],
    ["fr", "Bienvenue chez Test Store", "Bonjour Bob,"],
  ])("is the store's: %s", async (locale, subject, greeting) => {
    await service.addTenant(SHOP, { ...MAIL, locale });
    await deliver(service, "customer-create", payload());
    const sent = await mail();
    expect([sent.subject, sent.text?.split("\n")[0]]).toEqual([subject, greeting]);
    expect(sent.html).toContain(`<html lang="${locale}">`);
  });

  test("is the customer's own where it is known", async () => {
    await connectStore(service, SHOP, { ...MAIL, locale: "es" });
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: `gid://shopify/Customer/${id}`,
      firstName: "Amélie",
      email: address(),
      locale: "fr-CA",
    });
    await deliver(service, "customer-create", payload({}, CUSTOMER_2026_07));
    expect((await mail()).text?.split("\n")[0]).toBe("Bonjour Amélie,");
  });
});
