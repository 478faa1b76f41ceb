// A mandate's limit holds under concurrent checkouts, each on its own connection.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  moveReservation,
  release,
  requireOpenMandate,
  reserve,
  spend,
} from "../../../app/domain/commerce/mandate-ledger.ts";
import { openDatabase, type Database } from "../../../app/runtime/database/database.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { SHOP } from "../../support/service.ts";

let storage: TestDatabase;
let databases: Database[];
beforeAll(async () => {
  storage = await freshDatabase();
  databases = Array.from({ length: 4 }, () =>
    openDatabase({ url: storage.url, region: "default", poolSize: 5, log: createLog("silent") }),
  );
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await storage.drop();
});

type Fields = {
  max?: string;
  usage?: string;
  currency?: string;
  status?: string;
  expires?: string;
  agents?: string[];
};

async function newMandate({
  max = "100.00",
  usage = "multi",
  currency = "EUR",
  status = "active",
  expires = "1 hour",
  agents,
}: Fields = {}): Promise<string> {
  const id = randomUUID();
  await storage.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, usage,
      status, signature, proof, expires_at, agent_clients)
      VALUES ($1, $2, 1, $3, $4, 'all', $5, $6, 's', 'p', now() + $7::interval, $8)`,
    [SHOP, id, max, currency, usage, status, expires, agents ?? null],
  );
  return id;
}

const dataOf = (index = 0) => (databases[index % databases.length] as Database).forTenant(SHOP);
const claim = (mandateId: string, amount: string, fields: object = {}) => ({
  mandateId,
  customerId: 1,
  clientId: null,
  amount,
  currency: "EUR",
  ...fields,
});
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "accepted",
    (error: any) => error.details?.reason ?? error.code,
  );
const rowOf = async (id: string) =>
  (
    await storage.query(
      "SELECT spent_amount, reserved_amount, reservations, status FROM mandates WHERE mandate_id = $1",
      [id],
    )
  )[0];

/** The order of a checkout that holds this amount. */
async function pay(sql: ReturnType<typeof dataOf>["sql"], id: string, amount: string) {
  await release(sql, id, amount);
  await spend(sql, id, amount);
}

/** Runs each in a transaction on its own connection, across four pools. */
const atOnce = (
  count: number,
  work: (index: number, sql: ReturnType<typeof dataOf>["sql"]) => Promise<unknown>,
) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      outcome(dataOf(index).transaction((sql) => work(index, sql))),
    ),
  );

describe("a mandate of 100.00 for several uses", () => {
  it("accepts exactly 2 of 20 concurrent checkouts of 40.00, every time", async () => {
    for (let times = 0; times < 5; times += 1) {
      const id = await newMandate();
      const outcomes = await atOnce(20, (_, sql) => reserve(sql, claim(id, "40.00")));
      expect(outcomes.filter((one) => one === "accepted")).toHaveLength(2);
      expect(new Set(outcomes)).toEqual(new Set(["accepted", "exceeded"]));
      expect(await rowOf(id)).toEqual({
        spent_amount: "0.00",
        reserved_amount: "80.00",
        reservations: 2,
        status: "active",
      });
    }
  });

  it("reuses the amount that a released checkout returned, and ends when all is spent", async () => {
    const id = await newMandate();
    const { sql } = dataOf();
    await reserve(sql, claim(id, "60.00"));
    expect(await outcome(reserve(sql, claim(id, "40.01")))).toBe("exceeded");
    await release(sql, id, "60.00");
    await reserve(sql, claim(id, "40.01"));
    await pay(sql, id, "40.01");
    expect(await rowOf(id)).toEqual({
      spent_amount: "40.01",
      reserved_amount: "0.00",
      reservations: 0,
      status: "active",
    });
    await reserve(sql, claim(id, "59.99"));
    await pay(sql, id, "59.99");
    expect(await rowOf(id)).toEqual({
      spent_amount: "100.00",
      reserved_amount: "0.00",
      reservations: 0,
      status: "used",
    });
    expect(await outcome(reserve(sql, claim(id, "0.01")))).toBe("used");
  });

  it("neither loses nor doubles a cent while checkouts are created, paid and released concurrently", async () => {
    const id = await newMandate({ max: "1000.00" });
    const outcomes = await atOnce(60, async (index, sql) => {
      await reserve(sql, claim(id, "30.00"));
      if (index % 3 === 0) await release(sql, id, "30.00");
      else if (index % 3 === 1) await pay(sql, id, "30.00");
    });
    const accepted = outcomes
      .map((one, index) => [one, index] as const)
      .filter(([one]) => one === "accepted");
    const spent = accepted.filter(([, index]) => index % 3 === 1).length;
    const held = accepted.filter(([, index]) => index % 3 === 2).length;
    expect(await rowOf(id)).toEqual({
      spent_amount: (spent * 30).toFixed(2),
      reserved_amount: (held * 30).toFixed(2),
      reservations: held,
      status: "active",
    });
    expect(spent + held).toBeLessThanOrEqual(33);
  });

  it("lets a checkout change its amount within the remaining limit, and keeps its reservation otherwise", async () => {
    const id = await newMandate();
    const { sql } = dataOf();
    await reserve(sql, claim(id, "40.00"));
    await reserve(sql, claim(id, "40.00"));
    await moveReservation(sql, claim(id, "60.00"), "40.00");
    expect(await outcome(moveReservation(sql, claim(id, "60.01"), "40.00"))).toBe("exceeded");
    expect(await rowOf(id)).toMatchObject({ reserved_amount: "100.00", reservations: 2 });
  });
});

describe("a mandate for a single use", () => {
  it("is reserved by one of 20 concurrent checkouts, even by one that costs nothing", async () => {
    for (const amount of ["10.00", "0.00"]) {
      const id = await newMandate({ usage: "single" });
      const outcomes = await atOnce(20, (_, sql) => reserve(sql, claim(id, amount)));
      expect(outcomes.filter((one) => one === "accepted")).toHaveLength(1);
      expect(outcomes.filter((one) => one === "used")).toHaveLength(19);
    }
  });

  it("is used up after it was spent, whatever remains of its limit", async () => {
    const id = await newMandate({ usage: "single" });
    const { sql } = dataOf();
    await reserve(sql, claim(id, "10.00"));
    await pay(sql, id, "10.00");
    expect(await rowOf(id)).toMatchObject({ spent_amount: "10.00", status: "used" });
  });
});

describe("a rejection", () => {
  it.each<[string, Fields, object]>([
    ["expired", { expires: "-1 second" }, {}],
    ["revoked", { status: "revoked" }, {}],
    ["used", { status: "used" }, {}],
    ["currency_mismatch", { currency: "USD" }, {}],
    ["exceeded", { max: "9.99" }, {}],
    ["wrong_agent", { agents: ["other-agent"] }, { clientId: "agent" }],
    ["wrong_agent", { agents: ["other-agent"] }, {}],
    ["not_found", {}, { customerId: 2 }],
    ["not_found", {}, { mandateId: randomUUID() }],
  ])(
    "says %s and changes nothing, for a new amount and a changed one",
    async (reason, fields, other) => {
      const id = await newMandate(fields);
      const before = await rowOf(id);
      const { sql } = dataOf();
      expect(await outcome(reserve(sql, claim(id, "10.00", other)))).toBe(reason);
      expect(await outcome(moveReservation(sql, claim(id, "10.00", other), "0.00"))).toBe(reason);
      expect(await rowOf(id)).toEqual(before);
    },
  );

  it("is the same for a mandate of another store as for an unknown one", async () => {
    const id = await newMandate();
    expect(
      await outcome(
        requireOpenMandate(
          (databases[0] as Database).forTenant("other-store.myshopify.com").sql,
          id,
          { customerId: 1, clientId: null },
        ),
      ),
    ).toBe("not_found");
  });
});

it("never counts more than the maximum, also for a late order", async () => {
  const id = await newMandate();
  const { sql } = dataOf();
  await reserve(sql, claim(id, "90.00"));
  await pay(sql, id, "90.00");
  await spend(sql, id, "40.00");
  expect(await rowOf(id)).toEqual({
    spent_amount: "100.00",
    reserved_amount: "0.00",
    reservations: 0,
    status: "used",
  });
  await expect(
    storage.query("UPDATE mandates SET spent_amount = 100.01 WHERE mandate_id = $1", [id]),
  ).rejects.toThrow(/mandates_budget_check/);
});

it("counts the order of a revoked mandate, which stays revoked", async () => {
  const { sql } = dataOf();
  const [late, early] = [await newMandate(), await newMandate()];
  for (const id of [late, early]) {
    await reserve(sql, claim(id, "40.00"));
    await storage.query("UPDATE mandates SET status = 'revoked' WHERE mandate_id = $1", [id]);
  }
  await release(sql, late, "40.00");
  await spend(sql, late, "100.00");
  await spend(sql, early, "100.00");
  await release(sql, early, "40.00");
  for (const id of [late, early])
    expect(await rowOf(id)).toMatchObject({ spent_amount: "100.00", status: "revoked" });
});

it("never holds and spends more than the maximum together, whatever a statement says", async () => {
  const id = await newMandate();
  const { sql } = dataOf();
  await reserve(sql, claim(id, "60.00"));
  await spend(sql, id, "60.00");
  expect(await rowOf(id)).toEqual({
    spent_amount: "40.00",
    reserved_amount: "60.00",
    reservations: 1,
    status: "active",
  });
  await expect(
    storage.query("UPDATE mandates SET spent_amount = 40.01 WHERE mandate_id = $1", [id]),
  ).rejects.toThrow(/mandates_budget_check/);
});

it("owes what an order costs beyond what others leave, and takes it from what they return", async () => {
  const id = await newMandate();
  const { sql } = dataOf();
  await reserve(sql, claim(id, "60.00"));
  await reserve(sql, claim(id, "30.00"));
  await spend(sql, id, "50.00");
  expect(await rowOf(id)).toMatchObject({ spent_amount: "10.00", reserved_amount: "90.00" });
  await moveReservation(sql, claim(id, "45.00"), "60.00");
  expect(await rowOf(id)).toMatchObject({ spent_amount: "25.00", reserved_amount: "75.00" });
  expect(await outcome(reserve(sql, claim(id, "0.01")))).toBe("exceeded");
  await release(sql, id, "45.00");
  expect(await rowOf(id)).toMatchObject({ spent_amount: "50.00", reserved_amount: "30.00" });
  await reserve(sql, claim(id, "20.00"));
  expect(await outcome(reserve(sql, claim(id, "0.01")))).toBe("exceeded");
});

it("ends a single mandate that only owes an order as soon as no checkout holds it", async () => {
  const id = await newMandate({ usage: "single" });
  const { sql } = dataOf();
  await reserve(sql, claim(id, "100.00"));
  await spend(sql, id, "10.00");
  expect(await rowOf(id)).toMatchObject({ spent_amount: "0.00", status: "active" });
  await release(sql, id, "100.00");
  expect(await rowOf(id)).toMatchObject({ spent_amount: "10.00", status: "used" });
});
