// Whether a person's name is their own in a store with many customers: every pass of an erasure asks.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  OTHERS_OF_NAME,
  othersOfName,
  ownNames,
} from "../../app/domain/compliance/personal-values/own-names.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
const CUSTOMERS = 20_000;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  await service.database.query(
    `INSERT INTO storefront_users (shop, full_name) SELECT $1, 'Person Number' || n
       FROM generate_series(1, ${CUSTOMERS}) AS n`,
    [SHOP],
  );
  await service.database.query("ANALYZE storefront_users");
});
afterAll(() => service.stop());

type Names = { full?: string; first?: string; last?: string };

async function addCustomer({ full, first, last }: Names, shop = SHOP): Promise<number> {
  const [row] = await service.database.query(
    `INSERT INTO storefront_users (shop, full_name, first_name, last_name) VALUES ($1, $2, $3, $4)
      RETURNING id`,
    [shop, full ?? null, first ?? null, last ?? null],
  );
  return row.id as number;
}

const namesOf = (names: string[], userIds: number[] = []) =>
  ownNames(service.ctx.home.forTenant(SHOP).sql, names, userIds);

test.each<[how: string, name: string, other: Names]>([
  ["in other capitals and spaces", "Ada Lovelace", { full: "ada  LOVELACE" }],
  [
    "in decomposed capitals and two fields",
    "Zoé Müller",
    { first: "ZOE\u0301", last: "mu\u0308ller" },
  ],
  ["in letters of half the width", "Ｊｏ　Ｌｉ", { full: "jo li" }],
  ["with signs between its words", "J. O'Brien-Smith", { first: "j.", last: "o'brien-smith" }],
  ["in Greek capitals", "Ὀδυσσεύς Λαερτιάδης", { full: "ὈΔΥΣΣΕΎΣ ΛΑΕΡΤΙΆΔΗΣ" }],
  ["in words of one sign", "王 伟", { full: "王\u00a0伟" }],
  [
    "in more words than a search compares",
    "Grace Hopper of the Navy and many more words",
    { full: "grace hopper of the navy and many more words" },
  ],
  [
    "as long as the index stores",
    `${"Long ".repeat(39)}name`,
    { full: `${"long ".repeat(39)}name` },
  ],
  [
    "longer than the index stores",
    `Ab ${"aaaaaaaaaa".repeat(20)}z`,
    { first: "ab", last: `${"aaaaaaaaaa".repeat(20)}z` },
  ],
])("a name that another customer has %s is not a person's own", async (_, name, other) => {
  expect(await namesOf([name])).toEqual([name]);
  const otherId = await addCustomer(other);
  expect(await namesOf([` ${name} `])).toEqual([]);
  expect(await namesOf([name], [otherId])).toEqual([name]);
});

test("a name of another store's customer, a longer name or one that only looks alike is a person's own", async () => {
  await addCustomer({ full: "Rosa Parks" }, OTHER_SHOP);
  await addCustomer({ full: "Rosa Parks Jones" });
  await addCustomer({ full: "Rosá Parks" });
  await addCustomer({ first: "Parks", last: "Rosa" });
  expect(await namesOf(["Rosa Parks", "Rosa"])).toEqual(["Rosa Parks"]);
});

test("of many customers only those whose name is alike are read, by the index of the search", async () => {
  for (let copies = 0; copies < 3; copies++) await addCustomer({ full: "Maria Garcia" });
  const plan = await service.database.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${OTHERS_OF_NAME}`,
    [SHOP, ...othersOfName("maria GARCIA", [1])],
  );
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).toMatch(/Bitmap Index Scan on storefront_users_search_idx/);
  expect(text).not.toMatch(/Seq Scan|Rows Removed by Filter/);
});
