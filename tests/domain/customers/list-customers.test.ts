// The merchant's customer list: the result of each search, filter and order, and pages without gap or
// repetition.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readFilter } from "../../../app/domain/customers/list/customer-filter.ts";
import { exportCustomers } from "../../../app/domain/customers/list/export-customers.ts";
import { readFilterChoices } from "../../../app/domain/customers/list/filter-choices.ts";
import {
  listCustomers,
  SORTS,
  type Sort,
} from "../../../app/domain/customers/list/list-customers.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { putPerson, type Person } from "../../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const [SHOP, OTHER] = ["list.myshopify.com", "other.myshopify.com"];
let world: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(world.ctx, shop)));
  tenant = await getTenant(world.ctx, SHOP);
});

const put = (person: Person, shop = SHOP) => putPerson(world.database, shop, person);
const list = async (query: string, options: Partial<Parameters<typeof listCustomers>[2]> = {}) =>
  listCustomers(world.ctx, tenant, {
    filter: readFilter(new URLSearchParams(query)),
    sort: "name asc",
    limit: 50,
    ...options,
  });
const names = async (query: string) =>
  (await list(query)).customers.map(({ full_name: name, email }) => name ?? email);

describe("the result", () => {
  beforeEach(async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await put({
      full_name: "Ada Lovelace",
      last_name: "Lovelace",
      email: "ada@analytical.example",
      country: "GB",
      tags: ["vip", "early"],
      consents: ["marketing", "a2a"],
      gid: "gid://shopify/Customer/9007199254740993",
      last_login_at: daysAgo(2),
    });
    await put({
      full_name: "Grace Hopper",
      last_name: "Hopper",
      email: "Grace@navy.example",
      provider: "federated",
      country: "US",
      tags: ["vip"],
      consents: ["tos"],
      last_login_at: daysAgo(40),
    });
    await put({
      full_name: "Émilie du Châtelet",
      last_name: "du Châtelet",
      email: "emilie@cirey.example",
      provider: "storefront",
      country: "FR",
      status: "suspended",
      last_login_at: daysAgo(200),
    });
    await put({ email: "lovely@contact.example" });
    await put({ status: "deleted" });
    await put(
      {
        full_name: "Ada Elsewhere",
        email: "ada@elsewhere.example",
        country: "DE",
        tags: ["vip"],
        consents: ["marketing"],
      },
      OTHER,
    );
  });

  test("contains all customers but the deleted ones, and none of another store", async () => {
    expect(await names("")).toEqual([
      "Ada Lovelace",
      "Grace Hopper",
      "lovely@contact.example",
      "Émilie du Châtelet",
    ]);
    expect((await list("status=deleted")).customers).toHaveLength(1);
  });

  test.each([
    ["q=ADA", ["Ada Lovelace"]],
    ["q=lov", ["Ada Lovelace", "lovely@contact.example"]],
    ["q=Grace%40", ["Grace Hopper"]],
    ["q=%C3%89MILIE", ["Émilie du Châtelet"]],
    ["q=9007199254740993", ["Ada Lovelace"]],
    ["q=9007199254740992", []],
    ["q=%25", []],
    ["q=a_a", []],
    ["q=%27%3B--", []],
    ["tag=vip", ["Ada Lovelace", "Grace Hopper"]],
    ["tag=VIP", ["Ada Lovelace", "Grace Hopper"]],
    ["tag=nothing", []],
    ["consent=marketing", ["Ada Lovelace"]],
    ["consent=a2a", ["Ada Lovelace"]],
    ["consent=-marketing", ["Grace Hopper", "lovely@contact.example", "Émilie du Châtelet"]],
    ["provider=federated", ["Grace Hopper"]],
    ["status=suspended", ["Émilie du Châtelet"]],
    ["country=GB", ["Ada Lovelace"]],
    ["country=DE", []],
    ["signed_in=7", ["Ada Lovelace"]],
    ["signed_in=90", ["Ada Lovelace", "Grace Hopper"]],
    ["signed_in=older", ["Émilie du Châtelet"]],
    ["signed_in=never", ["lovely@contact.example"]],
    ["tag=vip&country=US&q=hop", ["Grace Hopper"]],
    [
      "status=invented&provider=x&consent=y&signed_in=z",
      ["Ada Lovelace", "Grace Hopper", "lovely@contact.example", "Émilie du Châtelet"],
    ],
  ])("%s shows %j", async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test("a row has the person's tags and consents", async () => {
    const [ada] = (await list("q=ada")).customers;
    expect(ada).toMatchObject({
      email: "ada@analytical.example",
      country: "GB",
      consents: ["marketing", "a2a"],
      tags: [
        { slug: "vip", name: "VIP" },
        { slug: "early", name: "EARLY" },
      ],
    });
  });

  test("the filter options are the store's own tags and countries", async () => {
    const { tags, countries } = await readFilterChoices(world.ctx, tenant);
    expect(tags.map(({ slug }) => slug)).toEqual(["early", "vip"]);
    expect(countries.map(({ code }) => code)).toEqual(["FR", "GB", "US"]);
    expect(countries[1]?.names).toEqual({
      en: "United Kingdom",
      es: "Reino Unido",
      fr: "Royaume-Uni",
    });
  });
});

describe("pages", () => {
  const everyPage = async (sort: Sort) => {
    const pages: number[][] = [];
    let back: string | null = null;
    for (let after: string | null = null; ;) {
      const page = await list("", { sort, limit: 3, after });
      pages.push(page.customers.map(({ id }) => id));
      expect(page.previous === null).toBe(pages.length === 1);
      if (!page.next) {
        back = page.previous;
        break;
      }
      after = page.next;
    }
    for (let place = pages.length - 2; place >= 0; place -= 1) {
      const page = await list("", { sort, limit: 3, before: back });
      expect(page.customers.map(({ id }) => id)).toEqual(pages[place]);
      expect(page.next).not.toBeNull();
      back = page.previous;
    }
    expect(back).toBeNull();
    return pages.flat();
  };

  test.each(SORTS)(
    "%s: forwards and backwards, every customer once, in order, with ties, gaps and equal times",
    async (sort) => {
      const same = "2026-01-01T00:00:00.123Z";
      for (const [place, full_name] of ["Zoe", "ada", "Ada", "Éva", "", "bob_", "bob%"].entries())
        await put({
          ...(full_name && { full_name }),
          email: `p${place}@x.example`,
          updated_at: same,
          ...(place % 2 === 0 && { last_login_at: same }),
        });
      const ids = await everyPage(sort);
      expect([...ids].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(ids).toEqual((await list("", { sort, limit: 50 })).customers.map(({ id }) => id));
    },
  );

  test("customers who never signed in come last in the newest order", async () => {
    await put({ email: "never@x.example" });
    await put({ email: "once@x.example", last_login_at: "2020-01-01T00:00:00Z" });
    expect(
      (await list("", { sort: "signed_in desc" })).customers.map(({ email }) => email),
    ).toEqual(["once@x.example", "never@x.example"]);
  });

  test.each([
    "x",
    "%00",
    Buffer.from('["2026-13-45",1]').toString("base64url"),
    Buffer.from('["a\\u0000",1]').toString("base64url"),
    Buffer.from("[1,2]").toString("base64url"),
  ])("a damaged cursor (%s) shows the first page", async (after) => {
    await put({ full_name: "Ada" });
    for (const sort of ["updated desc", "signed_in asc"] as const)
      expect((await list("", { sort, after })).customers).toHaveLength(1);
  });
});

describe("the CSV export", () => {
  const csv = async (query: string) => {
    let text = "";
    for await (const part of exportCustomers(
      world.ctx,
      tenant,
      readFilter(new URLSearchParams(query)),
    ))
      text += String(part);
    return text;
  };

  test("contains exactly the listed customers, with consents and tags, and none of another store", async () => {
    await put({
      full_name: "Ada, Countess",
      email: "ada@x.example",
      tags: ["vip", "early"],
      consents: ["marketing"],
    });
    await put({ full_name: "Grace", email: "grace@x.example" });
    await put({ full_name: "Foreign", tags: ["vip"] }, OTHER);
    const lines = (await csv("tag=vip")).split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\ufeffid,email,full_name,.*consent_marketing.*,tags$/);
    expect(lines[1]).toMatch(
      /^1,ada@x\.example,"Ada, Countess",.*,false,false,false,true,false,false,"vip, early"$/,
    );
    expect(await csv("")).not.toContain("Foreign");
    expect(await csv("")).not.toMatch(/password|hash/);
  });

  test.each(["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "\r=1"])(
    "a name that a spreadsheet would run as a formula (%j) is escaped",
    async (name) => {
      await put({ full_name: name, email: "p@x.example" });
      expect(await csv("")).toContain(`'${name}`);
    },
  );

  test("more than one slice of customers is complete, each once", async () => {
    await world.database.query(
      `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
        FROM generate_series(1, 2500) AS n`,
      [SHOP],
    );
    const ids = (await csv(""))
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => Number(line.split(",")[0]));
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, place) => place + 1));
  });
});
