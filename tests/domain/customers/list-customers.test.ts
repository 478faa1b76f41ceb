// The merchant's customer list: the result of each search, filter and order, and pages without gap or
// repetition.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readFilter } from "../../../app/domain/customers/list/customer-filter.ts";
import { exportCustomers } from "../../../app/domain/customers/list/export-customers.ts";
import { countCustomers, MAX_COUNTED } from "../../../app/domain/customers/list/count-customers.ts";
import { MAX_MATCHES } from "../../../app/domain/customers/list/customer-search.ts";
import { foldText } from "../../../app/domain/tags/fold-text.ts";
import { readSelection } from "../../../app/domain/customers/bulk/selection.ts";
import { prepareFilter } from "../../../app/domain/customers/list/filter-condition.ts";
import { phoneHash } from "../../../app/domain/customers/storefront-columns.ts";
import { readChoicesAndRuns } from "../../../app/domain/customers/list/filter-choices.ts";
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
let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(app.ctx, shop)));
  tenant = await getTenant(app.ctx, SHOP);
});

const put = (person: Person, shop = SHOP) => putPerson(app.database, shop, person);
const ready = (query: string) =>
  prepareFilter(app.ctx, tenant, readFilter(new URLSearchParams(query)));
const count = async (query: string) => countCustomers(app.ctx, tenant, await ready(query));
const list = async (query: string, options: Partial<Parameters<typeof listCustomers>[2]> = {}) =>
  listCustomers(app.ctx, tenant, {
    filter: await ready(query),
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
      created_at: "2026-03-05T23:59:59Z",
      number_of_orders: 12,
      amount_spent: 1_234.5,
      language_pref: "en",
      email_subscription_status: "subscribed",
      sms_subscription_status: "unsubscribed",
      phone_hash: phoneHash(app.ctx, SHOP, "+44 20 7946 0958"),
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
      created_at: "2026-03-06T00:00:00Z",
      number_of_orders: 3,
      amount_spent: 99.99,
      language_pref: "fr",
      email_subscription_status: "not_subscribed",
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
      "Émilie du Châtelet",
      "Grace Hopper",
      "lovely@contact.example",
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
    ["q=%5C", []],
    ["q=%25%25%25", []],
    ["q=%5C%25_", []],
    ["q=%27%3B--", []],
    ["q=velac", ["Ada Lovelace"]],
    ["q=alytical.ex", ["Ada Lovelace"]],
    ["q=lovelace+ADA", ["Ada Lovelace"]],
    ["q=ada+hopper", []],
    ["q=chatelet", ["Émilie du Châtelet"]],
    ["q=CHA%CC%82TELET", ["Émilie du Châtelet"]],
    ["q=ha", []],
    ["q=du", ["Émilie du Châtelet"]],
    ["q=h", ["Grace Hopper"]],
    ["q=na", ["Grace Hopper"]],
    ["q=%40", []],
    ["q=19925474", ["Ada Lovelace"]],
    ["q=%2B44+(20)+7946-0958", ["Ada Lovelace"]],
    ["q=442079460958", ["Ada Lovelace"]],
    ["q=79460958", []],
    ["q=%00velac%00", ["Ada Lovelace"]],
    ["q=%F0%9F%A6%84", []],
    ["q=%F0%9F%A6%84%F0%9F%A6%84%F0%9F%A6%84", []],
    ["orders_min=4", ["Ada Lovelace"]],
    ["orders_min=3&orders_max=3", ["Émilie du Châtelet"]],
    ["orders_max=0", ["Grace Hopper", "lovely@contact.example"]],
    ["spent_min=99.99&spent_max=100", ["Émilie du Châtelet"]],
    ["spent_min=2000&spent_max=1", []],
    ["joined_from=2026-03-05&joined_to=2026-03-05", ["Ada Lovelace"]],
    ["joined_from=9999-12-31&joined_to=9999-12-31", []],
    ["joined_to=2026-03-06", ["Ada Lovelace", "Émilie du Châtelet"]],
    ["language=fr", ["Émilie du Châtelet"]],
    ["email_subscription=subscribed", ["Ada Lovelace"]],
    ["sms_subscription=unsubscribed", ["Ada Lovelace"]],
    ["email_subscription=subscribed&spent_min=1&orders_min=1&q=ada", ["Ada Lovelace"]],
    [
      "orders_min=-1&orders_max=1e99&spent_min=NaN&spent_max=%27&joined_from=2026-02-30&joined_to=x&language=%25&sms_subscription=y",
      ["Ada Lovelace", "Émilie du Châtelet", "Grace Hopper", "lovely@contact.example"],
    ],
    ["tag=vip", ["Ada Lovelace", "Grace Hopper"]],
    ["tag=VIP", ["Ada Lovelace", "Grace Hopper"]],
    ["tag=nothing", []],
    ["consent=marketing", ["Ada Lovelace"]],
    ["consent=a2a", ["Ada Lovelace"]],
    ["consent=-marketing", ["Émilie du Châtelet", "Grace Hopper", "lovely@contact.example"]],
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
      ["Ada Lovelace", "Émilie du Châtelet", "Grace Hopper", "lovely@contact.example"],
    ],
  ])("%s shows %j", async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test.each([
    ["", { matching: 4, total: 4 }],
    ["q=lov", { matching: 2, total: 4 }],
    ["tag=vip&country=US", { matching: 1, total: 4 }],
    ["status=deleted", { matching: 1, total: 4 }],
    ["q=nobody", { matching: 0, total: 4 }],
  ])("%s counts what it shows, beside all customers", async (query, { matching, total }) => {
    expect(await count(query)).toEqual({
      matching: { count: matching, isMore: false },
      total: { count: total, isMore: false },
    });
    expect((await list(query)).customers).toHaveLength(matching);
  });

  test("an erased customer is found by none of the values that were known", async () => {
    await app.database.query(
      "UPDATE storefront_users SET status = 'deleted' WHERE shop = $1 AND country = 'GB'",
      [SHOP],
    );
    expect((await list("q=lovelace&status=deleted")).customers).toEqual([]);
    expect(
      await app.database.query(
        "SELECT 1 FROM storefront_users WHERE shop = $1 AND search_text LIKE '%lovelace%'",
        [SHOP],
      ),
    ).toEqual([]);
  });

  test("a search of 5,000 characters finds nobody", async () => {
    expect(await names(`q=lovelace${"x".repeat(5_000)}`)).toEqual([]);
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
    const { tags, countries, languages } = (await readChoicesAndRuns(app.ctx, tenant)).choices;
    expect(languages.map(({ names }) => names.es)).toEqual(["inglés", "francés"]);
    expect(tags.map(({ slug }) => slug)).toEqual(["early", "vip"]);
    expect(countries.map(({ code }) => code)).toEqual(["FR", "GB", "US"]);
    expect(countries[1]?.names).toEqual({
      en: "United Kingdom",
      es: "Reino Unido",
      fr: "Royaume-Uni",
    });
  });
});

test.each([
  "ÉMILIE Châtelet",
  "İstanbul Straße ﬁnd ㎏ ™",
  "ΟΔΟΣ Οδυσσεύς",
  "김민준 李明 Łódź",
  "Nguyễn Thị Ánh",
  "o'Brien-Smith 🦄",
])("the search and the database fold %s in the same way", async (name) => {
  await put({ full_name: name });
  const [row] = await app.database.query("SELECT search_text FROM storefront_users");
  expect(row.search_text.startsWith(foldText(name))).toBe(true);
  for (const word of name.split(" "))
    expect(await names(`q=${encodeURIComponent(word)}`)).toEqual([name]);
});

test("in a large store every search finds all of its customers, and counts are exact up to the bound", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, full_name, email, amount_spent, updated_at)
     SELECT $1, 'Person ' || n, 'p' || n || '@' || CASE WHEN n > 9000 THEN 'old.' ELSE 'new.' END
       || CASE WHEN n > 6000 THEN 'rear' ELSE 'fore' END || '.example', n % 100, now() - make_interval(secs => n) FROM generate_series(1, 12000) AS n`,
    [SHOP],
  );
  // As autovacuum does within a minute: no store works without statistics for long.
  await app.database.query("ANALYZE storefront_users");
  await put({ full_name: "Person 4711", email: "p4711@elsewhere.example" }, OTHER);
  const exactly = (matching: number) => ({ count: matching, isMore: false });
  const more = { count: MAX_COUNTED, isMore: true };
  expect(await count("")).toEqual({ matching: more, total: more });
  const manyMatches = { count: MAX_MATCHES, isMore: true };
  expect((await count("q=person")).matching).toEqual(manyMatches);
  for (const [query, matching] of [
    ["q=p4711%40", 1],
    ["q=old.rear.example", 3_000],
    ["spent_min=50", 6_000],
    ["q=old.rear.example&spent_max=0", 30],
  ] as const)
    expect([query, (await count(query)).matching]).toEqual([query, exactly(matching)]);
  expect(
    (await list("q=old.rear.example", { sort: "updated desc", limit: 2 })).customers,
  ).toMatchObject([{ full_name: "Person 9001" }, { full_name: "Person 9002" }]);
  // One in two, all of them behind the newest 6,000: by the index, in the order, page by page.
  expect((await count("q=rear.example")).matching).toEqual(manyMatches);
  const rear = { sort: "updated desc", limit: 2 } as const;
  const page = await list("q=rear.example", rear);
  expect(page.customers).toMatchObject([
    { full_name: "Person 6001" },
    { full_name: "Person 6002" },
  ]);
  const next = await list("q=rear.example", { ...rear, after: page.next });
  expect(next.customers).toMatchObject([
    { full_name: "Person 6003" },
    { full_name: "Person 6004" },
  ]);
  expect(
    (await list("q=rear.example", { ...rear, before: next.previous })).customers,
  ).toMatchObject([{ full_name: "Person 6001" }, { full_name: "Person 6002" }]);
  expect((await list("q=Person+99", { sort: "updated asc" })).customers[0]).toMatchObject({
    full_name: "Person 9999",
  });
});

test.each(["ids=", "ids=1,x", "ids=-1", "ids=1e99", "ids=1,,2"])(
  "a download of invalid ids (%s) means no selection, never all customers",
  (query) => {
    expect(readSelection(new URLSearchParams(query))).toBeNull();
  },
);

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
          amount_spent: [0.1, 1e-7, 12_345_678.9, 0, 0.1, 0.3, 0][place],
          number_of_orders: [0, 3, 3, 1, 2_147_483_647, 0, 1][place],
          ...(place % 2 === 0 && { last_login_at: same }),
        });
      const ids = await everyPage(sort);
      expect([...ids].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(ids).toEqual((await list("", { sort, limit: 50 })).customers.map(({ id }) => id));
    },
  );

  test("each page says its place in the list, forwards and backwards", async () => {
    for (let place = 1; place <= 7; place += 1) await put({ full_name: `P${place}` });
    const options = { sort: "name asc", limit: 2 } as const;
    const first = await list("", options);
    const second = await list("", { ...options, after: first.next });
    const third = await list("", { ...options, after: second.next });
    const back = await list("", { ...options, before: third.previous });
    expect([first, second, third, back].map(({ from }) => from)).toEqual([1, 3, 5, 3]);
  });

  test("names are in the order of their letters, whatever their case and accents", async () => {
    for (const full_name of ["Zoe", "élan", "Eva", "Éva", "\u00c5sa", "bob"])
      await put({ full_name });
    const { customers } = await list("", { sort: "name asc" });
    expect(customers.map((one) => one.full_name)).toEqual([
      "\u00c5sa",
      "bob",
      "élan",
      "Eva",
      "Éva",
      "Zoe",
    ]);
  });

  test.each([
    ["spent desc", ["much", "some", "none"]],
    ["orders desc", ["some", "much", "none"]],
  ] as const)("sorted by %s has the highest first", async (sort, expected) => {
    await put({ full_name: "some", amount_spent: 9.5, number_of_orders: 12 });
    await put({ full_name: "much", amount_spent: 100, number_of_orders: 2 });
    await put({ full_name: "none" });
    const { customers } = await list("", { sort });
    expect(customers.map((one) => one.full_name)).toEqual(expected);
  });

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
    Buffer.from('["2026-01-01 00:00:00+00",1]').toString("base64url"),
    Buffer.from('["2026-13-45",1,1]').toString("base64url"),
    Buffer.from('["a\\u0000",1,1]').toString("base64url"),
    Buffer.from("[1,2,3]").toString("base64url"),
    Buffer.from('["99999999999999999999999",1,1]').toString("base64url"),
    Buffer.from('["NaN",1,1]').toString("base64url"),
  ])("a damaged cursor (%s) shows the first page", async (after) => {
    await put({ full_name: "Ada" });
    for (const sort of ["updated desc", "signed_in asc", "orders desc", "spent asc"] as const)
      expect((await list("", { sort, after })).customers).toHaveLength(1);
  });

  test("a cursor with more orders than there can be shows the first page", async () => {
    await put({ full_name: "Ada" });
    const after = Buffer.from('["9999999999",1,1]').toString("base64url");
    expect((await list("", { sort: "orders asc", after })).customers).toHaveLength(1);
  });
});

describe("the CSV export", () => {
  const csv = async (query: string) => {
    let text = "";
    for await (const part of exportCustomers(app.ctx, tenant, {
      filter: readFilter(new URLSearchParams(query)),
    }))
      text += part;
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

  test.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@x", "'@x"],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
  ])("a name that a spreadsheet would run as a formula (%j) is escaped", async (name, escaped) => {
    await put({ full_name: name, email: "p@x.example" });
    expect(await csv("")).toContain(escaped);
  });

  test.each(["\n", "\r", "\r\n"])(
    "a line break in a name (%j) neither tears its row nor begins a line with a formula",
    async (lineBreak) => {
      await put({ full_name: `Ada${lineBreak}=1+2`, email: "p@x.example" });
      expect(await csv("")).toContain(`,"Ada${lineBreak}'=1+2",`);
    },
  );

  test("more than one slice of customers is complete, each once", async () => {
    await app.database.query(
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
