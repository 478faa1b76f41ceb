// The store's primary domain: read when the store connects and by the scheduled run, kept by shop/update,
// and an allowed origin of that store alone.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ingestWebhook } from "../../support/bus/events.ts";
import { begin, errorOf, putPerson, signInAs } from "../../support/browser/sign-in-journey.ts";
import {
  deliver,
  inboxIsWorked,
  install,
  send,
  storeRequestsAreSettled,
} from "../../support/storefront/storefront.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(OTHER_SHOP);
  for (const shop of [SHOP, AHEAD]) await install(service, shop);
});
afterAll(() => service.stop());
// Some tests compare a store's whole record, which a settled request changes too.
beforeEach(() => storeRequestsAreSettled(service));
afterEach(() => service.sandbox.clearFaults());

const hostOf = async (shop = SHOP): Promise<string | undefined> =>
  (
    await service.database.query(
      "SELECT value->'connection'->>'primary_host' AS host FROM kv WHERE key = $1",
      [`tenant:${shop}`],
    )
  )[0]?.host ?? undefined;
const recordOf = async (shop: string) =>
  (
    await service.database.query("SELECT value, version FROM kv WHERE key = $1", [`tenant:${shop}`])
  )[0];
const isAllowed = async (origin: string, shop = SHOP) =>
  (await service.call("GET", `/config?shop=${shop}`, { headers: { Origin: origin } })).headers.get(
    "access-control-allow-origin",
  ) === origin;
const update = (domain: unknown, shop = SHOP) =>
  JSON.stringify({ id: 954_889, name: "A store", domain, myshopify_domain: shop });
/** A store whose updates come ahead of time, each later than those before it. */
const AHEAD = "ahead-store.myshopify.com";
let aheadMs = 0;
const nextUpdateAt = () => new Date(Date.now() + (aheadMs += 2_000)).toISOString();
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

describe("the primary domain", () => {
  test("is read at the install with the currency, and is an allowed origin of this store alone", async () => {
    const shop = "installing-store.myshopify.com";
    await install(service, shop);
    const host = service.sandbox.storefront.primaryHost(shop);
    expect(host).not.toBe(shop);
    expect(await hostOf(shop)).toBe(host);
    expect((await recordOf(shop)).value.connection.currency).toBe("EUR");
    expect(await isAllowed(`https://${host}`, shop)).toBe(true);
    expect(await isAllowed(`https://${shop}`, shop)).toBe(true);
    for (const origin of [`http://${host}`, `https://${host}:8443`, `https://sub.${host}`])
      expect(await isAllowed(origin, shop)).toBe(false);
    expect(await isAllowed(`https://${host}`, OTHER_SHOP)).toBe(false);
  });

  test("may frame the store's pages and call with the shopper's cookie", async () => {
    const host = await hostOf();
    const page = await service.call("GET", `/embed/account?shop=${SHOP}`, { key: null });
    expect(page.headers.get("content-security-policy")).toContain(`https://${host}`);
    const signedUp = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      key: null,
      body: {
        email: "cookie@example.com",
        password: "correct horse battery",
        consent_tos: true,
        consent_privacy: true,
      },
    });
    const cookie = signedUp.headers.get("set-cookie")?.split(";")[0] as string;
    const rename = async (origin: string) =>
      (
        await service.call("PATCH", `/auth/profile?shop=${SHOP}`, {
          key: null,
          headers: { cookie, Origin: origin },
          body: { first_name: "Ada" },
        })
      ).status;
    expect([await rename(`https://${host}`), await rename("https://elsewhere.example")]).toEqual([
      200, 403,
    ]);
  });

  test("moves by shop/update, registered at the install: the old origin is dropped, and sign-in is discovered anew", async () => {
    const old = await hostOf();
    const person = putPerson(service, "storefront", "ada@example.com");
    expect(errorOf(await signInAs(service, "storefront", person))).toBeNull();
    const deliveries = await service.sandbox.storefront.movePrimaryDomain(
      SHOP,
      "www.moved.example",
    );
    expect(deliveries.map(({ uri, status }) => [uri, status])).toEqual([
      [`${service.url}/webhooks/shop-update`, 200],
    ]);
    await inboxIsWorked(service);
    expect(await hostOf()).toBe("www.moved.example");
    expect(await isAllowed("https://www.moved.example")).toBe(true);
    expect(await isAllowed(`https://${old}`)).toBe(false);
    const before = service.sandbox.customerAccounts.discoveryFetches();
    await begin(service, "storefront");
    expect(service.sandbox.customerAccounts.discoveryFetches()).toBe(before + 1);
    expect(errorOf(await signInAs(service, "storefront", person))).toBeNull();
  });

  test("moves by shop/update also where webhooks go to the bus", async () => {
    const shop = AHEAD;
    const answer = await ingestWebhook(
      service,
      "shop/update",
      JSON.parse(update("www.by-the-bus.example", shop)),
      { shop, headers: { "X-Storefront-Triggered-At": nextUpdateAt() } },
    );
    expect(answer.status).toBe(202);
    await eventually("moved", async () => (await hostOf(shop)) === "www.by-the-bus.example");
  });

  test("is the last one's of twenty changes that arrive at once, in any order", async () => {
    const shop = AHEAD;
    const start = Date.parse(nextUpdateAt());
    const order = Array.from({ length: 20 }, (_, n) => (n * 7) % 20);
    await Promise.all(
      order.map((n) =>
        send(service, "shop-update", update(`host-${n}.example`, shop), {
          shop,
          at: new Date(start + n).toISOString(),
        }),
      ),
    );
    await inboxIsWorked(service);
    expect(await hostOf(shop)).toBe("host-19.example");
  });

  test("is not moved back by an older shop/update", async () => {
    const shop = AHEAD;
    const [older, newest] = [nextUpdateAt(), nextUpdateAt()];
    const move = (domain: string, at: string) =>
      deliver(service, "shop-update", update(domain, shop), { shop, at });
    await move("www.newest.example", newest);
    await move("www.older.example", older);
    expect(await hostOf(shop)).toBe("www.newest.example");
  });

  test.each([
    ["an address", "https://www.evil.example"],
    ["a port", "www.evil.example:8443"],
    ["a path", "www.evil.example/path"],
    ["an empty path", "www.evil.example/"],
    ["a query", "www.evil.example?a"],
    ["an empty fragment", "www.evil.example#"],
    ["an encoded dot", "127%2e0.0.1"],
    ["a user", "user@www.evil.example"],
    ["an IP address", "127.0.0.1"],
    ["a bare name", "localhost"],
    ["a wildcard", "*.evil.example"],
    ["nothing", ""],
    ["no text", { host: "www.evil.example" }],
    ["null", null],
    ["a very long name", `${"a.".repeat(200)}example`],
  ])("is not changed by a shop/update with %s", async (_case, domain) => {
    const before = await recordOf(SHOP);
    await deliver(service, "shop-update", update(domain), { at: minutesFromNow(5) });
    expect(await recordOf(SHOP)).toEqual(before);
  });

  test("is kept as browsers write it", async () => {
    const shop = AHEAD;
    const domain = update("WWW.Bücher.example", shop);
    await deliver(service, "shop-update", domain, { shop, at: nextUpdateAt() });
    expect(await hostOf(shop)).toBe("www.xn--bcher-kva.example");
    expect(await isAllowed("https://www.xn--bcher-kva.example", shop)).toBe(true);
  });

  test("is not changed by a forged shop/update, nor by one of another store", async () => {
    const before = [await recordOf(SHOP), await recordOf(OTHER_SHOP)];
    const forged = await service.webhook("shop-update", update("www.evil.example"), {
      secret: "another-secret-0123456789",
    });
    const foreign = await service.webhook("shop-update", update("www.evil.example", OTHER_SHOP), {
      headers: { "X-Shopify-Triggered-At": minutesFromNow(9) },
    });
    expect([forged.status, foreign.status]).toEqual([401, 401]);
    expect([await recordOf(SHOP), await recordOf(OTHER_SHOP)]).toEqual(before);
    const own = minutesFromNow(9);
    await deliver(service, "shop-update", update("www.others.example", OTHER_SHOP), {
      shop: OTHER_SHOP,
      at: own,
    });
    expect(await recordOf(SHOP)).toEqual(before[0]);
    expect(await isAllowed("https://www.others.example")).toBe(false);
  });

  test("is not changed by a signed body that does not name its store", async () => {
    const before = await recordOf(SHOP);
    for (const body of [
      { id: 1, domain: "www.evil.example" },
      { id: 1, domain: "www.evil.example", myshopify_domain: null },
    ])
      await deliver(service, "shop-update", JSON.stringify(body), { at: minutesFromNow(9) });
    expect(await recordOf(SHOP)).toEqual(before);
  });

  test("is not kept for years by a shop/update whose time is far ahead", async () => {
    const shop = "far-ahead-store.myshopify.com";
    await install(service, shop);
    const move = (domain: string, at: string) =>
      deliver(service, "shop-update", update(domain, shop), { shop, at });
    await move("www.ahead.example", "2099-01-01T00:00:00Z");
    await move("www.after.example", minutesFromNow(60));
    expect(await hostOf(shop)).toBe("www.after.example");
  });

  test("that cannot be read at the install costs the install nothing, and is read by the scheduled run", async () => {
    const shop = "late-store.myshopify.com";
    const own = await startService();
    try {
      // Every call of the Admin API fails during the install; the webhooks are repaired later too.
      own.sandbox.failNext("storefront", { status: 500, match: "graphql.json" }, 50);
      await install(own, shop);
      const host = async () =>
        (
          await own.database.query(
            "SELECT value->'connection'->>'primary_host' AS host FROM kv WHERE key = $1",
            [`tenant:${shop}`],
          )
        )[0]?.host;
      expect(await host()).toBeNull();
      own.sandbox.clearFaults();
      const run = await own.call("POST", "/admin/scheduled-run");
      expect(run.json.report.steps.primary_domain.counts).toEqual({ changed: 1 });
      expect(await host()).toBe(own.sandbox.storefront.primaryHost(shop));
      const again = await own.call("POST", "/admin/scheduled-run");
      expect(again.json.report.steps.primary_domain.counts).toEqual({ changed: 0 });
    } finally {
      await own.stop();
    }
  });
});

describe("the time zone", () => {
  const zoneOf = async (shop: string) => (await recordOf(shop)).value.connection.time_zone;

  test("is read with the primary domain, and changed by shop/update", async () => {
    expect(await zoneOf(SHOP)).toBe("Europe/Berlin");
    await service.sandbox.storefront.moveTimeZone(SHOP, "America/Argentina/Buenos_Aires");
    await inboxIsWorked(service);
    expect(await zoneOf(SHOP)).toBe("America/Argentina/Buenos_Aires");
  });

  test.each(["Mars/Olympus_Mons", "../etc/passwd", "", `Europe/${"a".repeat(80)}`, 3, null])(
    "is not changed by a shop/update with %s",
    async (zone) => {
      const before = await zoneOf(AHEAD);
      const body = {
        id: 1,
        domain: await hostOf(AHEAD),
        iana_timezone: zone,
        myshopify_domain: AHEAD,
      };
      await deliver(service, "shop-update", JSON.stringify(body), {
        shop: AHEAD,
        at: nextUpdateAt(),
      });
      expect(await zoneOf(AHEAD)).toBe(before);
    },
  );
});
