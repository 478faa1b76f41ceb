// The check of a storefront on the server: its states, its limits, and whose it is.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import {
  readStorefrontCheck,
  startStorefrontCheck,
} from "../../../app/domain/storefront-check/storefront-check.ts";
import { keepPrimaryHost } from "../../../app/domain/tenants/storefront/primary-domain.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMIT_SCALE: "1" } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await installStore(service, shop);
    service.sandbox.storefront.setPassword(shop, false);
    service.sandbox.storefront.setAccess(shop, {});
    service.sandbox.storefront.setThemeHtml(shop, "");
    service.sandbox.storefront.furnish(shop);
  }
});

/** The front page at the platform's domain. */
const FRONT = /^\/[^/]+\/$/;
const META = '<script nomodule src="https://connect.facebook.net/en_US/fbevents.js"></script>';
const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const start = async (shop = SHOP) => startStorefrontCheck(service.ctx, await tenant(shop));
const read = async (shop = SHOP) => readStorefrontCheck(service.ctx, await tenant(shop));
const check = async (shop = SHOP) => {
  await start(shop);
  return eventually("the end of the check", async () => {
    const now = await read(shop);
    return now.run?.state === "running" ? null : now;
  });
};
const onHome = async (shop = SHOP) =>
  (await readHome(service.ctx, shop, await tenant(shop))).health.earlyScripts;
const theme = (html: string, shop = SHOP) => service.sandbox.storefront.setThemeHtml(shop, html);
const front = (fault: { status: number; headers?: Record<string, string>; body?: string }) =>
  service.sandbox.failNext("storefront", { ...fault, match: FRONT });

describe("a check", () => {
  it("reads the front page and the first product, collection and cart that it links to; Home has the number", async () => {
    const ours = `<script src="${service.url}/embed/of-ours.js"></script>`;
    theme(`${META}${ours}<script>f('https://static.hotjar.com/c/hotjar-')</script>`);
    expect(await read()).toMatchObject({ run: null, result: null });
    const { run, result } = await check();
    expect(run).toMatchObject({ state: "done", result: { problem: null } });
    expect(result?.pages.map(({ name, state }) => [name, state])).toEqual([
      ["home", "read"],
      ["product", "read"],
      ["collection", "read"],
      ["cart", "read"],
    ]);
    expect(result?.hasEmbed).toBe(true);
    expect(result?.scripts.slice(0, 2)).toMatchObject([
      {
        vendor: "Meta",
        state: "before_consent",
        pages: ["home", "product", "collection", "cart"],
      },
      { vendor: "Hotjar", kind: "inline" },
    ]);
    expect(JSON.stringify(result?.scripts)).not.toContain("of-ours.js");
    expect(await onHome()).toBe(2);
  });

  it("says which of the pages could not be read, and nothing of what they contain", async () => {
    theme(`${META}<a href="/store/${SHOP}/products/none">Sold out</a>`);
    const { result } = await check();
    expect(result?.pages.slice(0, 3).map(({ name, state }) => [name, state])).toEqual([
      ["home", "read"],
      ["product", "failed"],
      ["collection", "read"],
    ]);
    expect(result?.scripts[0]).toMatchObject({ pages: ["home", "collection", "cart"] });
  });

  it("says when the app embed is not on the pages, and where it is switched on", async () => {
    service.sandbox.storefront.setActiveBlock(SHOP, "consent", false);
    const { result, themeEditorUrl } = await check();
    service.sandbox.storefront.setActiveBlock(SHOP, "consent", true);
    expect(result?.hasEmbed).toBe(false);
    expect(themeEditorUrl).toMatch(/\/editor\?context=apps&.*consent$/);
  });

  it("sends no cookie, and a name that says who asks", async () => {
    const seen: Record<string, unknown>[] = [];
    const stop = service.sandbox.onRequest(({ request }) => seen.push(request.headers));
    await check();
    stop();
    expect(seen.length).toBeGreaterThan(0);
    for (const headers of seen) {
      expect(headers).not.toHaveProperty("cookie");
      expect(headers["user-agent"]).toBe("customer-identity-service");
    }
  });

  it("joins the one in progress: the store is asked once, and it costs nothing of the limit", async () => {
    service.sandbox.failNext("storefront", { delayMs: 1_500, match: FRONT });
    const asked = () =>
      service.sandbox.requests("storefront").filter(({ path }) => FRONT.test(path)).length;
    const before = asked();
    await start();
    expect((await read()).run).toMatchObject({ state: "running", finished_at: null });
    await Promise.all([start(), start(), start()]);
    await eventually("the end", async () => (await read()).run?.state === "done");
    expect(asked() - before).toBe(1);
    const [count] = await service.database.query<{ value: number }>(
      "SELECT value::int FROM kv WHERE shop = $1 AND key LIKE 'rate:storefront_checks%'",
      [SHOP],
    );
    expect(count?.value).toBe(1);
  });

  it("is refused after twenty in an hour, for this store alone", async () => {
    for (let at = 0; at < 20; at += 1) await check();
    await expect(start()).rejects.toMatchObject({ code: "too_many_requests" });
    expect((await check(OTHER_SHOP)).run?.state).toBe("done");
  }, 120_000);
});

describe("a store that shows no page", () => {
  it("has a password", async () => {
    service.sandbox.storefront.setPassword(SHOP, true);
    expect((await check()).run?.result).toMatchObject({ problem: "password" });
  });

  it.each([403, 429, 430] as const)("refuses programs with %i", async (status) => {
    service.sandbox.storefront.setAccess(SHOP, { status });
    expect((await check()).run?.result).toMatchObject({ problem: "refused", status });
  });

  it("asks for a user and a password, which is a refusal too", async () => {
    front({ status: 401, headers: { "www-authenticate": "Basic" }, body: "<html>" });
    expect((await check()).run?.result).toMatchObject({ problem: "refused", status: 401 });
  });

  it("does not answer, or only after the time limit", async () => {
    service.sandbox.failNext("storefront", { reset: true });
    expect((await check()).run?.result).toMatchObject({ problem: "unreachable", status: null });
    service.sandbox.storefront.setAccess(SHOP, { delayMs: 60_000 });
    const origins = [service.sandbox.url];
    await expect(
      service.ctx.storefront.storePage(SHOP, { url: null, origins, timeoutMs: 200 }),
    ).rejects.toMatchObject({ kind: "timeout" });
  });

  it.each([
    ["an error", { status: 500, body: "<html>" }],
    ["another type", { status: 200, body: "{}" }],
    [
      "UTF-16",
      { status: 200, headers: { "content-type": "text/html; charset=utf-16" }, body: "<html>" },
    ],
    [
      "bytes that nobody asked for",
      {
        status: 200,
        headers: { "content-type": "text/html", "content-encoding": "gzip" },
        body: "x",
      },
    ],
  ])("answers with %s", async (_, fault) => {
    front(fault);
    expect((await check()).run?.result).toMatchObject({ problem: "no_page" });
  });

  it("redirects for ever", async () => {
    service.sandbox.failNext(
      "storefront",
      { status: 302, headers: { location: `/storefront/${SHOP}/` }, match: FRONT },
      20,
    );
    expect((await check()).run?.result).toMatchObject({ problem: "no_page", status: 302 });
  });

  it.each(["https://elsewhere.example/", "http://10.0.0.1/", "https://169.254.169.254/latest"])(
    "redirects to %s, which is not asked",
    async (location) => {
      service.sandbox.failNext(
        "storefront",
        { status: 302, headers: { location }, match: FRONT },
        2,
      );
      const { host } = new URL(location);
      expect((await check()).run?.result).toMatchObject({ problem: "elsewhere", host });
      expect(service.logged.filter((line) => line.host === host)).toEqual([]);
    },
  );

  it("keeps the result of the last complete check, with its time", async () => {
    theme(META);
    const before = (await check()).result;
    service.sandbox.storefront.setPassword(SHOP, true);
    const after = await check();
    expect(after.run?.result).toMatchObject({ problem: "password" });
    expect(after.result).toEqual(before);
  });

  it("has moved to a new primary domain that Shopify names: it is read there", async () => {
    await keepPrimaryHost(service.ctx, SHOP, "old.example", new Date());
    expect((await check()).result?.pages).toHaveLength(4);
  });
});

describe("hostile pages", () => {
  it("larger than what is read are read from their beginning, and say so", async () => {
    theme(`${META}<!--${"x".repeat(3_000_000)}-->`);
    const { result } = await check();
    expect(result?.pages).toMatchObject([{ name: "home", state: "cut" }]);
    expect(result?.scripts[0]).toMatchObject({ vendor: "Meta", pages: ["home"] });
  });

  it("with links to other hosts lead nowhere", async () => {
    theme(
      `<base href="https://evil.example/"><a href="/products/a">a</a><a href="https://10.0.0.1/cart">b</a>
        <a href="${service.sandbox.url.replace("//", "//user:pass@")}/storefront/${SHOP}/cart">c</a>`,
    );
    const { result } = await check();
    const paths = result?.pages.map(({ path }) => path);
    expect(paths?.join()).not.toContain("evil");
    // Nor does one with somebody's password.
    expect(paths).not.toContain(`/storefront/${SHOP}/cart`);
    expect(
      service.logged.filter(({ host }) => host === "evil.example" || host === "10.0.0.1"),
    ).toEqual([]);
  });

  it("with characters that the database cannot hold are stored", async () => {
    theme('<script nomodule a="\\ud800" src="https://x.example/\u0000">\u0000</script>');
    expect((await check()).result?.counts.unknown).toBe(1);
  });
});

it("a store sees its own result only", async () => {
  theme(META);
  await check();
  expect(await read(OTHER_SHOP)).toMatchObject({ run: null, result: null });
  expect(await onHome(OTHER_SHOP)).toBe(0);
  const keys = await service.database.query<{ shop: string }>(
    "SELECT shop FROM kv WHERE key = 'storefront_check'",
    [],
  );
  expect(keys).toEqual([{ shop: SHOP }]);
});
