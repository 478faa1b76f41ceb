// A customer's page in stores with other currencies, and of a customer whom the store merged with another.
import { beforeEach, expect, test } from "vitest";
import { useMerchant } from "../../../support/browser/merchant.ts";
import { putPerson } from "../../../support/storefront/customers.ts";

const app = useMerchant();
let shop: string;
beforeEach(async () => {
  shop = await app.newStore();
});

const setCurrency = (currency: string) =>
  app.database.query(
    `UPDATE kv SET value = jsonb_set(value, '{connection,currency}', to_jsonb($2::text)),
      version = version + 1 WHERE key = 'tenant:' || $1`,
    [shop, currency],
  );

test.for([
  ["KWD", 1_234.345, "1,234.345 KWD"],
  ["JPY", 12_500, "12,500 JPY"],
  ["EUR", 40, "40.00 EUR"],
] as const)(
  "a customer's page and the list of customers show one amount spent, with the decimals of %s",
  async ([currency, spent, shown]) => {
    await setCurrency(currency);
    const id = await putPerson(app.database, shop, {
      email: "ada@x.example",
      full_name: "Ada Lovelace",
      amount_spent: spent,
    });
    const text = shown.replace(" ", "\u00a0");
    const list = await app.open("/app/customers", { shop });
    await list.page.getByText(text, { exact: true }).first().waitFor();
    await list.leave();
    const { page, leave } = await app.open(`/app/customers/${id}`, { shop });
    await page.getByText(text, { exact: true }).waitFor();
    await leave();
  },
);

test("orders in a currency without decimals are shown without them", async () => {
  const { gid } = app.sandbox.storefront.putCustomer(shop, { email: "ada@x.example" });
  const order = app.sandbox.storefront.putOrder(shop, { customerGid: gid });
  const id = await putPerson(app.database, shop, { email: "ada@x.example", gid });
  await app.database.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, signature,
      proof, expires_at)
      VALUES ($1, gen_random_uuid(), $2, 5000, 'JPY', 'all', '', '', now() + interval '1 day')`,
    [shop, id],
  );
  const { page, leave } = await app.open(`/app/customers/${id}`, { shop });
  await page.getByText(order.name).first().waitFor();
  await page.getByText("5,000\u00a0JPY of 5,000\u00a0JPY").waitFor();
  await leave();
});

test.for([
  ["en", "This customer was merged with another one", "Open that customer"],
  ["es", "Este cliente se fusionó con otro", "Abrir ese cliente"],
  ["fr", "Ce client a été fusionné avec un autre", "Ouvrir ce client"],
] as const)(
  "the page of a customer whom the store merged with another says so and leads there, in %s",
  async ([locale, text, link]) => {
    const kept = await putPerson(app.database, shop, {
      email: "ada@x.example",
      full_name: "Ada Lovelace",
    });
    const gone = await putPerson(app.database, shop, { full_name: "Ada L.", status: "deleted" });
    await app.database.query(
      "UPDATE storefront_users SET merged_into = $3 WHERE shop = $1 AND id = $2",
      [shop, gone, kept],
    );
    const { page, leave } = await app.open(`/app/customers/${gone}`, { shop, locale });
    await page.getByText(text).waitFor();
    expect(await page.getByText(/was erased|se han borrado|sont effacées/).count()).toBe(0);
    await page.getByRole("link", { name: link }).click();
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    await leave();
  },
);
