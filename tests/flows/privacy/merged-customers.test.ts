// A store merges two of a person's customers. Later it asks for the erasure of the kept one only.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { getAccount } from "../../../app/domain/identity/account.ts";
import { issueToken } from "../../../app/domain/identity/session/sessions.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findEverywhere, startPrivacyService, redact } from "../../support/privacy.ts";
import { customerPayload, CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";
import { deliver } from "../../support/storefront/storefront.ts";
import { queueIsEmpty } from "../../contract/identity/people.ts";
import { SHOP, type Service } from "../../support/service.ts";

let service: Service;
/** Names the people of one test: the archive keeps what the tests before it left. */
let round = 0;

beforeAll(async () => {
  service = await startPrivacyService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  round += 1;
  await service.database.truncate();
  await service.addTenant(SHOP);
});

const gidOf = (id: string) => `gid://shopify/Customer/${id}`;
const [KEPT, MERGED, FIRST] = ["7064055069303711", "7064055069303712", "7064055069303713"];
const addressOf = (id: string) => `merged${id}@store${round}.example`;
const leftovers = () => findEverywhere(service, [`@store${round}.example`, `Mergedunique${round}`]);
const create = (id: string) =>
  deliver(
    service,
    "customer-create",
    customerPayload(
      {
        id,
        admin_graphql_api_id: JSON.stringify(gidOf(id)),
        email: JSON.stringify(addressOf(id)),
        first_name: '"Hedy"',
        last_name: `"Mergedunique${round}"`,
      },
      CUSTOMER_2024_10,
    ),
  );
const merge = (from: string, into: string) =>
  deliver(
    service,
    "customers-merge",
    JSON.stringify({
      admin_graphql_api_customer_kept_id: gidOf(into),
      admin_graphql_api_customer_deleted_id: gidOf(from),
      status: "completed",
    }),
  );
/** One after the other: the first into the second, that into the kept one. */
async function mergeAll(): Promise<void> {
  for (const id of [FIRST, MERGED, KEPT]) await create(id);
  await merge(FIRST, MERGED);
  await merge(MERGED, KEPT);
}
const tokenOf = async (id: string) => {
  const [{ id: userId }] = await service.database.query(
    "SELECT id FROM storefront_users WHERE storefront_customer_gid = $1",
    [gidOf(id)],
  );
  const account = await getAccount(service.ctx.home.forTenant(SHOP).sql, userId);
  return issueToken(service.ctx, await getTenant(service.ctx, SHOP), account);
};
const users = (columns: string) =>
  service.database.query(`SELECT ${columns} FROM storefront_users ORDER BY id`);

it.each(["id", "address"] as const)(
  "an erasure that names the kept customer by the %s leaves nothing of those merged into it, one after the other",
  async (named) => {
    await mergeAll();
    expect(await users("status")).toEqual(
      ["deleted", "deleted", "active"].map((status) => ({ status })),
    );
    await queueIsEmpty(service);
    const who = named === "id" ? { id: KEPT } : { email: addressOf(KEPT) };
    await redact(service, who);
    expect(await leftovers()).toEqual([]);
  },
);

it("an erasure of the kept customer reaches one whose webhook of the first merge came after that of the second", async () => {
  for (const id of [FIRST, MERGED, KEPT]) await create(id);
  await merge(MERGED, KEPT);
  await merge(FIRST, MERGED);
  await queueIsEmpty(service);
  await redact(service, { id: KEPT });
  expect(await leftovers()).toEqual([]);
});

it("the kept customer's own deletion takes those merged into it along, with the next scheduled runs", async () => {
  await mergeAll();
  await queueIsEmpty(service);
  const { status } = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
    key: await tokenOf(KEPT),
  });
  expect(status).toBe(200);
  await queueIsEmpty(service);
  for (let run = 0; run < 3; run += 1) await service.call("POST", "/admin/scheduled-run");
  expect(await leftovers()).toEqual([]);
});

it("a session of a merged customer ends and is none of the kept customer", async () => {
  for (const id of [MERGED, KEPT]) await create(id);
  const token = await tokenOf(MERGED);
  const me = () => service.call("GET", `/auth/me?shop=${SHOP}`, { key: token });
  expect((await me()).status).toBe(200);
  await merge(MERGED, KEPT);
  expect((await me()).status).toBe(401);
});

it("a merged account that has a password is not erased with the kept customer", async () => {
  for (const id of [MERGED, KEPT]) await create(id);
  await service.database.query(
    "UPDATE storefront_users SET password_hash = 'x', email_verified = true WHERE email = $1",
    [addressOf(MERGED)],
  );
  await merge(MERGED, KEPT);
  await redact(service, { id: KEPT });
  expect(await users("status, email")).toEqual([
    { status: "active", email: addressOf(MERGED) },
    { status: "deleted", email: null },
  ]);
});
