// Public hosts and allowed origins: a host identifies one store, and only after the store has
// proven control of it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isAllowedOrigin } from "../../../app/domain/tenants/allowed-origins.ts";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { statusesOf } from "../identity/people.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { startDnsServer, type DnsServer } from "../../support/processes/dns-server.ts";
import { privacy, shopBody } from "../../support/privacy.ts";
import { rawRequest } from "../../support/raw-request.ts";
import {
  ADMIN_KEY,
  eventually,
  OTHER_SHOP,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

const KEYS = {
  [SHOP]: "tenant-key-of-the-test-store",
  [OTHER_SHOP]: "tenant-key-of-the-other-store",
};
const HOST = "account.store.example";
const RECORD = `_customer-identity.${HOST}`;
let service: Service;
let dns: DnsServer;
let database: DatabaseProxy;

beforeAll(async () => {
  dns = await startDnsServer();
  service = await startService({
    background: true,
    env: { DNS_SERVERS: dns.address },
    databaseThrough: async (url) => (database = await startDatabaseProxy(url)).url,
  });
});
afterAll(async () => {
  await service.stop();
  await dns.stop();
});
beforeEach(async () => {
  dns.records.clear();
  for (const shop of [SHOP, OTHER_SHOP] as const)
    await service.addTenant(shop, {
      admin_key: KEYS[shop],
      public_hosts: null,
      allowed_origins: null,
    });
});

type Shop = keyof typeof KEYS;
const save = (shop: Shop, fields: Record<string, unknown>, key = KEYS[shop]) =>
  service.call("POST", `/config?shop=${shop}`, { body: fields, key });
const saveHosts = (shop: Shop, hosts: string[], key?: string) =>
  save(shop, { public_hosts: hosts }, key);
const hostsOf = async (shop: Shop) =>
  (await service.call("GET", `/admin/public-hosts?shop=${shop}`, { key: KEYS[shop] })).json;
const publishTokenOf = async (shop: Shop, name = RECORD) =>
  void dns.records.set(name, ["v=spf1 -all", (await hostsOf(shop)).token]);
/** The store that a request to the host resolves to. */
const reached = async (host: string): Promise<string | undefined> =>
  (
    await rawRequest(service.url, "/config", {
      headers: [
        ["Host", host],
        ["Authorization", `Bearer ${ADMIN_KEY}`],
      ],
    })
  ).json.shop;
const corsOrigin = async (shop: string, origin: string) =>
  (
    await service.call("GET", `/embed/footer?shop=${shop}`, {
      key: null,
      headers: { Origin: origin },
    })
  ).headers.get("access-control-allow-origin");

describe("a host that a store lists with its own key", () => {
  test("is inactive: no request resolves to the store by it, and its pages are no allowed origin", async () => {
    expect((await saveHosts(SHOP, [HOST])).status).toBe(200);
    expect(await reached(HOST)).toBeUndefined();
    expect(await corsOrigin(SHOP, `https://${HOST}`)).toBeNull();
    expect((await hostsOf(SHOP)).hosts).toEqual([
      { host: HOST, state: "unproven", record: RECORD },
    ]);
  });

  test("is active when its DNS record contains the store's token at the time of saving", async () => {
    await publishTokenOf(SHOP);
    await saveHosts(SHOP, [HOST]);
    expect(await reached(HOST)).toBe(SHOP);
    expect(await reached(`${HOST}:8443`)).toBe(SHOP);
    expect(await reached("ACCOUNT.Store.example.")).toBe(SHOP);
    expect(await corsOrigin(SHOP, `https://${HOST}`)).toBe(`https://${HOST}`);
    expect(await corsOrigin(SHOP, `http://${HOST}`)).toBeNull();
    expect(await corsOrigin(OTHER_SHOP, `https://${HOST}`)).toBeNull();
  });

  test("is not activated by another store's token, nor by a truncated or extended one", async () => {
    const { token } = await hostsOf(SHOP);
    for (const text of [(await hostsOf(OTHER_SHOP)).token, token.slice(0, -1), `${token}0`, ""]) {
      dns.records.set(RECORD, [text]);
      await saveHosts(SHOP, [HOST]);
      expect(await reached(HOST)).toBeUndefined();
    }
  });

  test("becomes active when the record is found later, by a check or by the scheduled run", async () => {
    const second = "second.store.example";
    await saveHosts(SHOP, [HOST, second]);
    await publishTokenOf(SHOP);
    const checked = await service.call("POST", `/admin/public-hosts?shop=${SHOP}`, {
      key: KEYS[SHOP],
    });
    expect(checked.json.hosts).toMatchObject([
      { host: HOST, state: "proven" },
      { host: second, state: "unproven" },
    ]);
    expect([await reached(HOST), await reached(second)]).toEqual([SHOP, undefined]);
    await publishTokenOf(SHOP, `_customer-identity.${second}`);
    const run = await service.call("POST", "/admin/scheduled-run");
    expect(run.json.report.steps.public_hosts.counts).toEqual({ proven: 1 });
    expect(await reached(second)).toBe(SHOP);
  });

  test("stays active when the list is saved again, and must be proven again after its removal", async () => {
    await publishTokenOf(SHOP);
    await saveHosts(SHOP, [HOST]);
    dns.records.clear();
    await saveHosts(SHOP, [HOST, "more.store.example"]);
    expect(await reached(HOST)).toBe(SHOP);
    await saveHosts(SHOP, ["more.store.example"]);
    expect(await reached(HOST)).toBeUndefined();
    expect(await corsOrigin(SHOP, `https://${HOST}`)).toBeNull();
    await saveHosts(SHOP, [HOST]);
    expect(await reached(HOST)).toBeUndefined();
  });
});

test("a host that is taken off the list while its record is looked up stays off, and another store can prove it", async () => {
  await saveHosts(SHOP, [HOST]);
  await publishTokenOf(SHOP);
  const { held, release } = database.hold("INSERT INTO public_hosts");
  const checked = service.call("POST", `/admin/public-hosts?shop=${SHOP}`, { key: KEYS[SHOP] });
  await held;
  expect((await saveHosts(SHOP, [])).status).toBe(200);
  release();
  expect((await checked).json.hosts).toEqual([]);
  expect(await reached(HOST)).toBeUndefined();
  await publishTokenOf(OTHER_SHOP);
  expect((await saveHosts(OTHER_SHOP, [HOST])).status).toBe(200);
  expect(await reached(HOST)).toBe(OTHER_SHOP);
});

test("a host saved with ADMIN_KEY is active at once, without a DNS query", async () => {
  dns.asked.length = 0;
  expect((await saveHosts(SHOP, [HOST], ADMIN_KEY)).status).toBe(200);
  expect(await reached(HOST)).toBe(SHOP);
  expect(dns.asked).toEqual([]);
  expect((await saveHosts(SHOP, [HOST])).status).toBe(200);
  expect(await reached(HOST)).toBe(SHOP);
});

test.each([
  ["a port", `${HOST}:8443`],
  ["capital letters", "Account.STORE.example"],
  ["a dot at the end", `${HOST}.`],
  ["all of them and spaces", ` ACCOUNT.store.example.:443 `],
])("a host is normalised: with %s", async (_, spelled) => {
  await saveHosts(SHOP, [spelled, HOST], ADMIN_KEY);
  expect((await service.call("GET", `/config?shop=${SHOP}`)).json.config.public_hosts).toEqual([
    HOST,
  ]);
  expect(await reached(HOST)).toBe(SHOP);
  const rival = await saveHosts(OTHER_SHOP, [spelled], ADMIN_KEY);
  expect([rival.status, rival.json.code, Object.keys(rival.json.fields)]).toEqual([
    409,
    "conflict",
    ["public_hosts"],
  ]);
  expect(await reached(HOST)).toBe(SHOP);
});

test.each([
  "*.store.example",
  "https://store.example",
  "store.example/x",
  "a b",
  "",
  "a..b",
  "-",
  "a-.b",
])("an invalid host name is rejected with the field: %j", async (host) => {
  const answer = await saveHosts(SHOP, [host], ADMIN_KEY);
  expect([answer.status, Object.keys(answer.json.fields)]).toEqual([400, ["public_hosts"]]);
});

describe("two stores that list one host", () => {
  test("concurrently: one gets it, the other is rejected and keeps its earlier list", async () => {
    for (let round = 0; round < 10; round += 1) {
      const host = `race-${round}.store.example`;
      const answers = await Promise.all(
        ([SHOP, OTHER_SHOP] as const).map((shop) =>
          save(shop, { public_hosts: [host], brand_name: `round ${round}` }, ADMIN_KEY),
        ),
      );
      expect(statusesOf(answers)).toEqual([200, 409]);
      const loser = answers[0]?.status === 409 ? SHOP : OTHER_SHOP;
      expect(await reached(host)).toBe(loser === SHOP ? OTHER_SHOP : SHOP);
      expect((await getTenant(service.ctx, loser)).config.brand_name).not.toBe(`round ${round}`);
      expect((await getTenant(service.ctx, loser)).publicHosts).not.toContain(host);
    }
  });

  test("without proof: the first keeps it until the owner proves it", async () => {
    await saveHosts(SHOP, [HOST]);
    expect((await saveHosts(OTHER_SHOP, [HOST])).status).toBe(409);
    await publishTokenOf(OTHER_SHOP);
    expect((await saveHosts(OTHER_SHOP, [HOST])).status).toBe(200);
    expect(await reached(HOST)).toBe(OTHER_SHOP);
    expect((await hostsOf(SHOP)).hosts).toMatchObject([{ host: HOST, state: "taken" }]);
    expect((await service.call("POST", `/admin/public-hosts?shop=${SHOP}`)).status).toBe(200);
    expect(await reached(HOST)).toBe(OTHER_SHOP);
  });

  test("one of which has proven it: the other's DNS record does not take it over", async () => {
    await saveHosts(SHOP, [HOST], ADMIN_KEY);
    await publishTokenOf(OTHER_SHOP);
    expect((await saveHosts(OTHER_SHOP, [HOST])).status).toBe(409);
    expect((await saveHosts(OTHER_SHOP, [HOST], ADMIN_KEY)).status).toBe(409);
    expect(await reached(HOST)).toBe(SHOP);
  });

  test("a rejected list creates no store and no host", async () => {
    await saveHosts(SHOP, [HOST], ADMIN_KEY);
    const NEW = "new-and-greedy.myshopify.com";
    const answer = await service.call("POST", `/config?shop=${NEW}`, {
      body: { public_hosts: ["free.store.example", HOST] },
    });
    expect(answer.status).toBe(409);
    expect((await service.call("GET", `/config?shop=${NEW}`)).status).toBe(404);
    expect(
      await service.database.query("SELECT 1 FROM public_hosts WHERE host = 'free.store.example'"),
    ).toEqual([]);
  });
});

describe("the sandbox", () => {
  test("accepts loopback hosts without proof, and allows their pages at any port", async () => {
    const ctx = { ...service.ctx, config: { ...service.ctx.config, isSandbox: true } };
    await saveTenantConfig(ctx, SHOP, { public_hosts: ["localhost:3000", HOST] }, { by: "store" });
    const tenant = await getTenant(service.ctx, SHOP);
    expect(tenant.publicHosts).toEqual(["localhost"]);
    expect(isAllowedOrigin(ctx, tenant, "http://localhost:4010")).toBe(true);
    expect(isAllowedOrigin(ctx, tenant, "http://localhost.example:4010")).toBe(false);
    expect(isAllowedOrigin(service.ctx, tenant, "http://localhost:4010")).toBe(false);
  });

  test("is the only mode where loopback hosts need no proof", async () => {
    await saveHosts(SHOP, ["localhost"]);
    expect((await getTenant(service.ctx, SHOP)).publicHosts).toEqual([]);
  });
});

describe("allowed origins", () => {
  test.each(["https://*.example.com", "https://*", "http://*:3000", "https://a.*.example", "*"])(
    "have no wildcards: %s is rejected with the field",
    async (origin) => {
      const answer = await save(SHOP, { allowed_origins: ["https://fine.example", origin] });
      expect([answer.status, Object.keys(answer.json.fields)]).toEqual([400, ["allowed_origins"]]);
    },
  );

  test("that were stored with wildcards are ignored; the others still apply", async () => {
    await service.database.query(
      `UPDATE kv SET value = value || '{"allowed_origins": ["https://*.example.com", "https://*", "https://fine.example"]}', version = version + 1 WHERE key = $1`,
      [`tenant:${SHOP}`],
    );
    for (const origin of ["https://evil.example.com", "https://*.example.com", "https://*"])
      expect(await corsOrigin(SHOP, origin)).toBeNull();
    expect(await corsOrigin(SHOP, "https://fine.example")).toBe("https://fine.example");
    const page = await service.call("GET", `/embed/footer?shop=${SHOP}`, { key: null });
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("https://fine.example");
    expect(/frame-ancestors ([^;]*)/.exec(policy)?.[1]).not.toContain("*");
  });
});

describe("authorization of host reads and checks", () => {
  test.each(["GET", "POST"])("%s: requires the store's key or the operator's", async (method) => {
    const call = (key: string | null, shop: string = SHOP) =>
      service.call(method, `/admin/public-hosts?shop=${shop}`, { key });
    expect((await call(KEYS[SHOP])).status).toBe(200);
    expect((await call(ADMIN_KEY)).status).toBe(200);
    expect((await call(KEYS[OTHER_SHOP])).status).toBe(401);
    expect((await call(null)).status).toBe(401);
    expect((await call(ADMIN_KEY, "unknown-store.myshopify.com")).status).toBe(404);
  });

  test("the token is stable per store and differs between stores", async () => {
    const [one, again, other] = [
      await hostsOf(SHOP),
      await hostsOf(SHOP),
      await hostsOf(OTHER_SHOP),
    ];
    expect(one.token).toMatch(/^[0-9a-f]{40}$/);
    expect([again.token, other.token === one.token]).toEqual([one.token, false]);
  });
});

test("the hosts of a deleted store are free again", async () => {
  await saveHosts(SHOP, [HOST], ADMIN_KEY);
  await privacy(service, "shop-redact", shopBody());
  await eventually("the removal", async () => (await reached(HOST)) === undefined);
  expect((await saveHosts(OTHER_SHOP, [HOST], ADMIN_KEY)).status).toBe(200);
  expect(await reached(HOST)).toBe(OTHER_SHOP);
});
