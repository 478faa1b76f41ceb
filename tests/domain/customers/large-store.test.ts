// A store with many customers: what concerns one of them reads that one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPeople } from "../../../app/domain/compliance/find-people.ts";
import { lockUsers } from "../../../app/domain/customers/sync/page-rows.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  ADMIN_KEY,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import {
  COST_OF_FEW,
  nodesOf,
  planOfLargeTables,
  type PlanNode,
  recordStatements,
} from "../../support/statements/statement-plans.ts";
import { connectStore, deliver } from "../../support/storefront/storefront.ts";

const CUSTOMERS = 1_000;
const PASSWORD = "correct horse";
let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await connectStore(service, SHOP);
  await service.database.query(
    `INSERT INTO storefront_users (shop, email, full_name, provider, email_verified, storefront_customer_gid)
      SELECT $1, 'person' || n || '@example.com', 'Person ' || n, 'storefront', true, 'gid://shopify/Customer/' || 5000000 + n
      FROM generate_series(1, $2::int) n`,
    [SHOP, CUSTOMERS],
  );
  await service.database.query("VACUUM ANALYZE");
});
afterAll(() => service.stop());

/** Reads the table, or one of its indexes from the first to the last entry of the store. */
const readsWholeStore = (node: PlanNode): boolean =>
  (node["Relation Name"] === "storefront_users" && node["Node Type"] === "Seq Scan") ||
  (node["Index Name"]?.startsWith("storefront_users") === true &&
    /^\(shop = \$\d+\)$/.test(node["Index Cond"] ?? "") &&
    node["Total Cost"] > COST_OF_FEW);

/** The statements of the work, and of what it starts, that read every customer of the store. */
async function readingAllCustomers(work: () => Promise<unknown>): Promise<string[]> {
  const texts = new Set((await recordStatements(work)).map(({ text }) => text));
  const found: string[] = [];
  for (const text of texts) {
    if (!text.includes("storefront_users") || /^(LISTEN|SAVEPOINT)/.test(text)) continue;
    const plan = await planOfLargeTables(service.database.url, text);
    const isWholeStore = nodesOf(plan).some(readsWholeStore);
    if (isWholeStore) found.push(text.replaceAll(/\s+/g, " ").trim().slice(0, 300));
  }
  return found;
}

const post = async (path: string, body: object, key: string | null = null) => {
  const headers = { Origin: RETURN_ORIGIN };
  const answer = await service.call("POST", `${path}?shop=${SHOP}`, { body, key, headers });
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
};
const customer = (fields: object) =>
  JSON.stringify({
    admin_graphql_api_id: "gid://shopify/Customer/5000007",
    email: "person7@example.com",
    first_name: "Ada",
    updated_at: new Date().toISOString(),
    ...fields,
  });
const order = () =>
  JSON.stringify({
    id: 77,
    admin_graphql_api_id: "gid://shopify/Order/77",
    email: "person9@example.com",
    total_price: "5.00",
    currency: "EUR",
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    customer: {
      admin_graphql_api_id: "gid://shopify/Customer/5000009",
      email: "person9@example.com",
    },
  });

describe("in a store with many customers", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "a sign-up, a sign-in and a forgotten password",
      async () => {
        await post("/auth/signup", {
          email: "new@example.com",
          password: PASSWORD,
          consent_tos: true,
          consent_privacy: true,
        });
        await post("/auth/login", { email: "new@example.com", password: PASSWORD });
        await post("/auth/password/forgot", { email: "new@example.com" });
      },
    ],
    ["a webhook about a customer", () => deliver(service, "customer-update", customer({}))],
    [
      "a webhook about a new customer",
      () =>
        deliver(
          service,
          "customer-create",
          customer({
            admin_graphql_api_id: "gid://shopify/Customer/6000001",
            email: "six@example.com",
          }),
        ),
    ],
    [
      "a webhook about a merge, and one about a deletion",
      async () => {
        await deliver(
          service,
          "customers-merge",
          JSON.stringify({
            admin_graphql_api_customer_kept_id: "gid://shopify/Customer/5000021",
            admin_graphql_api_customer_deleted_id: "gid://shopify/Customer/5000022",
            status: "completed",
          }),
        );
        await deliver(
          service,
          "customers-delete",
          JSON.stringify({ id: 5_000_023, admin_graphql_api_id: "gid://shopify/Customer/5000023" }),
        );
      },
    ],
    [
      "an account's own page, export, change of name and deletion",
      async () => {
        const { token } = await post("/auth/signup", {
          email: "own@example.com",
          password: PASSWORD,
          consent_tos: true,
          consent_privacy: true,
        });
        const own = (method: string, path: string, body?: object) =>
          service.call(method, `${path}?shop=${SHOP}`, { key: token, ...(body && { body }) });
        expect((await own("GET", "/auth/me")).status).toBe(200);
        expect((await own("GET", "/auth/me/export")).status).toBe(200);
        expect((await own("PATCH", "/auth/profile", { first_name: "Eve" })).status).toBe(200);
        expect((await own("DELETE", "/auth/me", { password: PASSWORD })).status).toBe(200);
      },
    ],
    [
      "a form with an address, known or not",
      async () => {
        for (const name of ["person15", "nobody"])
          await post("/auth/consent-sync", {
            email: `${name}@example.com`,
            consent_id: `form-${name}`,
            consent_marketing: true,
            method: "newsletter_form",
          });
      },
    ],
    ["a webhook about an order", () => deliver(service, "orders-create", order())],
    [
      "a page of the customer sync",
      async () => {
        const { sql } = dataOf(service.ctx, await getTenant(service.ctx, SHOP));
        const changedAt = new Date();
        await lockUsers(sql, [
          { gid: "gid://shopify/Customer/5000011", email: "person11@example.com", changedAt },
          { gid: "gid://shopify/Customer/6000011", email: "person12@example.com", changedAt },
        ]);
      },
    ],
    [
      "a tag change by address",
      () => post("/admin/tags/assign", { email: "person12@example.com", add: ["vip"] }, ADMIN_KEY),
    ],
    [
      "the search for the person of a privacy request",
      async () => {
        const tenant = await getTenant(service.ctx, SHOP);
        await findPeople(service.ctx, tenant, dataOf(service.ctx, tenant).sql, {
          gid: "gid://shopify/Customer/5000014",
          email: "person14@example.com",
          phone: "+49123",
        });
      },
    ],
  ])("%s reads no other customer", async (_, work) => {
    expect(await readingAllCustomers(work)).toEqual([]);
  });
});
