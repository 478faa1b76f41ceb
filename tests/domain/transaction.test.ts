// What a transaction gives its work: statements and a Prisma client that share one connection, of
// one tenant.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isUniqueViolation, openDatabase, type Database } from "../../app/db.server.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

const MINE = "mine.myshopify.com";
const THEIRS = "theirs.myshopify.com";
let storage: TestDatabase;
let database: Database;
const mine = () => database.forTenant(MINE);

beforeAll(async () => {
  storage = await freshDatabase();
  database = openDatabase({
    url: storage.url,
    region: "default",
    poolSize: 4,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await database.close();
  await storage.drop();
});
beforeEach(() => storage.truncate());

const upcs = async (shop = MINE) =>
  (
    await storage.query("SELECT sku FROM product_upc_mapping WHERE shop = $1 ORDER BY sku", [shop])
  ).map(({ sku }) => sku as string);
const INSERT = "INSERT INTO product_upc_mapping (shop, sku, upc) VALUES ($1, $2, '1')";
const key = (sku: string, shop = MINE) => ({ shop_sku: { shop, sku } });

/** Lets one transaction wait for a step of the other. */
function signal(): { given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}

describe("a transaction's Prisma client", () => {
  test("commits with the statements beside it", async () => {
    await mine().transaction(async (sql, prisma) => {
      await sql(INSERT, ["raw"]);
      await prisma.productUpcMapping.create({ data: { sku: "prisma", upc: "2", shop: MINE } });
    });
    expect(await upcs()).toEqual(["prisma", "raw"]);
  });

  test("rolls back with the statements beside it", async () => {
    await expect(
      mine().transaction(async (sql, prisma) => {
        await sql(INSERT, ["raw"]);
        await prisma.productUpcMapping.create({ data: { sku: "prisma", upc: "2", shop: MINE } });
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await upcs()).toEqual([]);
  });

  test("sees what a statement wrote and did not commit, and nobody else does", async () => {
    await mine().transaction(async (sql, prisma) => {
      await sql(INSERT, ["raw"]);
      expect(await prisma.productUpcMapping.count()).toBe(1);
      expect(await mine().prisma.productUpcMapping.count()).toBe(0);
      await prisma.productUpcMapping.updateMany({ data: { upc: "changed" } });
      expect(await sql("SELECT upc FROM product_upc_mapping WHERE shop = $1")).toEqual([
        { upc: "changed" },
      ]);
    });
  });

  test("reads and writes no row of another tenant", async () => {
    await database.forTenant(THEIRS).sql(INSERT, ["theirs"]);
    await mine().transaction(async (_sql, prisma) => {
      expect(await prisma.productUpcMapping.findMany()).toEqual([]);
      expect(
        await prisma.productUpcMapping.findFirst({ where: { shop: THEIRS, sku: "theirs" } }),
      ).toBeNull();
      expect(await prisma.productUpcMapping.deleteMany({ where: { shop: THEIRS } })).toEqual({
        count: 0,
      });
      await prisma.productUpcMapping.create({ data: { sku: "mine", upc: "1", shop: THEIRS } });
    });
    expect(await upcs()).toEqual(["mine"]);
    expect(await upcs(THEIRS)).toEqual(["theirs"]);
  });

  test("does not see another transaction that is open at the same moment", async () => {
    const wrote = signal();
    const looked = signal();
    const first = mine().transaction(async (_sql, prisma) => {
      await prisma.productUpcMapping.create({ data: { sku: "first", upc: "1", shop: MINE } });
      wrote.give();
      await looked.given;
      return prisma.productUpcMapping.findMany({ select: { sku: true } });
    });
    await wrote.given;
    const second = await mine().transaction(async (_sql, prisma) => {
      await prisma.productUpcMapping.create({ data: { sku: "second", upc: "1", shop: MINE } });
      const seen = await prisma.productUpcMapping.findMany({ select: { sku: true } });
      looked.give();
      await first;
      return seen;
    });
    expect(second).toEqual([{ sku: "second" }]);
    expect(await first).toEqual([{ sku: "first" }]);
  });

  test("runs many operations of several transactions at once, each in its own", async () => {
    const seen = await Promise.all(
      [1, 2, 3].map((number) =>
        mine().transaction(async (sql, prisma) => {
          await sql(INSERT, [`raw-${number}`]);
          const seen: string[] = [];
          for (let times = 0; times < 5; times += 1)
            for (const { sku } of await prisma.productUpcMapping.findMany()) seen.push(sku);
          await sql("DELETE FROM product_upc_mapping WHERE shop = $1");
          return seen;
        }),
      ),
    );
    expect(seen).toEqual([1, 2, 3].map((number) => Array<string>(5).fill(`raw-${number}`)));
  });

  test("refuses to be used after the end", async () => {
    const kept = await mine().transaction((_sql, prisma) => Promise.resolve(prisma));
    await expect(kept.productUpcMapping.findMany()).rejects.toThrow("this transaction has ended");
    const lost: (typeof kept)[] = [];
    await expect(
      mine().transaction((_sql, prisma) => {
        lost.push(prisma);
        return Promise.reject(new Error("no"));
      }),
    ).rejects.toThrow("no");
    await expect(lost[0]?.productUpcMapping.count()).rejects.toThrow("this transaction has ended");
  });

  test("refuses statements after the end", async () => {
    const kept = await mine().transaction((sql) => Promise.resolve(sql));
    const statement = "SELECT 1 FROM product_upc_mapping WHERE shop = $1";
    await expect(kept(statement)).rejects.toThrow("this transaction has ended");
  });

  test("has no findUnique, which Prisma would join with that of another transaction", async () => {
    await mine().transaction(async (_sql, prisma) => {
      const { productUpcMapping } = prisma as unknown as ReturnType<typeof mine>["prisma"];
      await expect(productUpcMapping.findUnique({ where: key("a") })).rejects.toThrow(
        "use findFirst",
      );
    });
  });

  test("refuses an operation that would open a transaction of its own", async () => {
    await mine().transaction(async (_sql, prisma) => {
      // Its condition is more than a key: Prisma would read first and write then.
      const upsert = prisma.productUpcMapping.upsert({
        where: { ...key("a"), upc: "1" },
        create: { sku: "a", upc: "1", shop: MINE },
        update: { upc: "2" },
      });
      await expect(upsert).rejects.toThrow("needs a transaction of its own");
    });
    expect(await upcs()).toEqual([]);
  });

  test("upserts by a key in one statement, so that two at once do not meet", async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        mine().transaction((_sql, prisma) =>
          prisma.productUpcMapping.upsert({
            where: key("same"),
            create: { sku: "same", upc: String(index), shop: MINE },
            update: { upc: String(index) },
          }),
        ),
      ),
    );
    expect(await upcs()).toEqual(["same"]);
  });
});

describe("a unique violation", () => {
  test("is known as one, whether a statement or Prisma met it", async () => {
    const again = () => mine().sql(INSERT, ["twice"]);
    await again();
    const raw: unknown = await again().catch((error: unknown) => error);
    const data = { sku: "twice", upc: "1", shop: MINE };
    const ofPrisma: unknown = await mine()
      .prisma.productUpcMapping.create({ data })
      .catch((error: unknown) => error);
    const inside: unknown = await mine()
      .transaction((_sql, prisma) => prisma.productUpcMapping.create({ data }))
      .catch((error: unknown) => error);
    expect([raw, ofPrisma, inside].map(isUniqueViolation)).toEqual([true, true, true]);
    expect([null, new Error("23505"), { code: "40P01" }].some(isUniqueViolation)).toBe(false);
  });
});
