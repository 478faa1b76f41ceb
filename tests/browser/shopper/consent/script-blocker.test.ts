// Known vendors' scripts that nobody marked: held back until the shopper agrees, then run once and in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  HOTJAR,
  JUDGE_ME,
  META,
  openVendorStore,
  OTHER,
  TIKTOK,
  type VendorVisit,
} from "../../../support/browser/vendor-pages.ts";
import { LAST, ran } from "../../../support/browser/script-runs.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { SHOP } from "../../../support/service.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: VendorVisit;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (
  parts: { head?: string; body?: string },
  options: Partial<Parameters<typeof openVendorStore>[2]> = {},
) => {
  visit = await openVendorStore(browser, service, {
    ...options,
    head: parts.head ?? "",
    body: (parts.body ?? "") + LAST,
  });
  await visit.open();
};
const ACCEPT = { cookie: true, marketing: true };
const REFUSE = { cookie: false, marketing: false };
const src = (address: string, attributes = "") =>
  `<script ${attributes} src="${address}"></script>`;
const inline = (code: string) => `<script>${code}</script>`;
/** What a vendor's snippet does. */
const insert = (address: string) =>
  inline(`{ const s = document.createElement("script"); s.async = true; s.src = "${address}";
    const first = document.getElementsByTagName("script")[0]; first.parentNode.insertBefore(s, first); }`);

const HEAD =
  src(`${META}/meta.js`) +
  src(`${HOTJAR}/async.js`, "async") +
  src(`${TIKTOK}/defer.js`, "defer") +
  src(`${JUDGE_ME}/module.js`, 'type="module"') +
  src(`${OTHER}/other.js`);
const VENDORS = ["facebook/meta.js", "hotjar/async.js", "tiktok/defer.js", "judge/module.js"];

describe("the scripts of a page", () => {
  it("of known vendors reach no vendor before a choice; those of others do", async () => {
    await enter({ head: HEAD, body: insert(`${META}/later.js`) });
    expect([visit.asked, await visit.runs()]).toEqual([["unknown/other.js"], ["other.js"]]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("run once each after consent, and on the next page in their own order without waiting", async () => {
    await enter({ head: HEAD });
    visit.asked.length = 0;
    await visit.choose(ACCEPT);
    await visit.done();
    expect(visit.asked).toEqual(VENDORS);
    expect((await visit.runs()).toSorted()).toEqual([
      "async.js",
      "defer.js",
      "last",
      "meta.js",
      "module.js",
      "other.js",
    ]);
    await visit.choose(ACCEPT);
    expect(visit.asked).toHaveLength(4);
    visit.asked.length = 0;
    await visit.page.reload({ waitUntil: "networkidle" });
    expect(visit.asked.toSorted()).toEqual([...VENDORS, "unknown/other.js"].toSorted());
    expect(await visit.page.locator("[data-consent]").count()).toBe(0);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("are never requested after a refusal, on this page and the next", async () => {
    await enter({ head: HEAD });
    await visit.choose(REFUSE);
    await visit.page.reload({ waitUntil: "networkidle" });
    expect(visit.asked.filter((name) => name !== "unknown/other.js")).toEqual([]);
    await visit.close();
  });

  it("wait for their own purposes", async () => {
    await enter({ head: HEAD });
    visit.asked.length = 0;
    await visit.choose({ cookie: true, marketing: false });
    await visit.done();
    expect(visit.asked.toSorted()).toEqual(["hotjar/async.js", "judge/module.js"]);
    await visit.close();
  });

  it("keep order and attributes", async () => {
    await enter({
      head:
        src(
          `${META}/first.js`,
          'id="own" nonce="n1" crossorigin="anonymous" data-partner="7" onload="window.loads = (window.loads || 0) + 1"',
        ) + src(`${META}/second.js`),
    });
    await visit.choose(ACCEPT);
    await visit.done();
    expect(await visit.runs()).toEqual(["first.js", "second.js", "last"]);
    expect(
      await visit.page.evaluate(() => {
        const own = document.getElementById("own") as HTMLScriptElement;
        return [own.type, own.nonce, own.crossOrigin, own.dataset.partner, (window as any).loads];
      }),
    ).toEqual(["", "n1", "anonymous", "7", 1]);
    await visit.close();
  });

  it("that are snippets with code of their own wait, and the platform's lists do not", async () => {
    const code = `fetch("https://dev.visualwebsiteoptimizer.com/j.php").catch(() => {});`;
    await enter({
      head:
        inline(`${ran("snippet")};${code}`) +
        inline(
          `${ran("list")};function asyncLoad(){ return ["https://x.visualwebsiteoptimizer.com/a.js"] }`,
        ) +
        inline(`${ran("own")}; const page = "https://store.example/hotjar.com";`),
    });
    expect([await visit.runs(), visit.foreign]).toEqual([["list", "own"], []]);
    await visit.choose(ACCEPT);
    await visit.done();
    expect([await visit.runs(), visit.foreign]).toEqual([
      ["list", "own", "snippet", "last"],
      ["https://dev.visualwebsiteoptimizer.com/j.php"],
    ]);
    await visit.close();
  });
});

describe("scripts that are inserted later", () => {
  /** Each adds a script of the address A in its own way. */
  const WAYS = {
    appendChild: "make(A); document.head.appendChild(s)",
    append: "make(A); document.body.append('text', s)",
    before: "make(A); document.querySelector('main').before(s)",
    "replaceWith and a container": `make(A); const d = document.createElement("div"); d.append(s);
      const old = document.createElement("i"); document.body.append(old); old.replaceWith(d)`,
    "a fragment": `const f = document.createRange().createContextualFragment('<p><script src="' + A + '"></' + 'script></p>');
      document.body.appendChild(f)`,
    "a clone": "make(A); document.body.appendChild(s.cloneNode(true))",
    "an imported template": `const t = document.createElement("template"); t.innerHTML = '<script src="' + A + '"></' + 'script>';
      document.body.append(document.importNode(t.content, true))`,
    "src after insertion": "make(); document.body.append(s); s.src = A",
    "setAttribute after insertion": "make(); document.body.append(s); s.setAttribute('SRC', A)",
    "setAttribute before it":
      "make(); s.setAttribute('src', A); document.body.insertAdjacentElement('beforeend', s)",
    "a name with a final dot": "make(A.replace('.net/', '.net./')); document.body.append(s)",
    "document.write": "document.write('<script src=' + A + '></' + 'script>')",
  };
  it.each(Object.entries(WAYS))("by %s wait, and run once", async (_, way) => {
    await enter({
      body: inline(`{ let s; const A = "${META}/later.js";
        const make = (address) => { s = document.createElement("script"); if (address) s.src = address; };
        ${way} }`),
    });
    expect([visit.asked, await visit.runs()]).toEqual([[], []]);
    await visit.choose(ACCEPT);
    // It may be behind the last one of the page's markup.
    await visit.done();
    await visit.page.waitForFunction("window.ran.includes('later.js')");
    await visit.choose(ACCEPT);
    expect([(await visit.runs()).toSorted(), visit.asked]).toEqual([
      ["last", "later.js"],
      ["facebook/later.js"],
    ]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("tell who waits for them that they loaded, or could not be", async () => {
    await enter({
      body: inline(`for (const name of ["good.js", "bad.js"]) {
        const s = document.createElement("script");
        s.src = "${META}/" + name;
        s.onload = ({ target }) => window.heard.push("load", target === s);
        s.addEventListener("error", () => window.heard.push("error"));
        document.head.append(s);
      } window.heard = [];`),
    });
    await visit.page.route("**/bad.js", (route) => route.abort());
    await visit.choose(ACCEPT);
    await visit.done();
    expect(await visit.page.evaluate("window.heard")).toEqual(["load", true, "error"]);
    await visit.close();
  });

  it("wait also when a script of nobody on the list inserts them, long after the page", async () => {
    await enter({ body: src(`${OTHER}/manager.js`) });
    const add = (name: string) =>
      visit.page.evaluate((address) => {
        const script = document.createElement("script");
        script.src = address;
        document.head.append(script);
      }, `${META}/${name}`);
    await add("one.js");
    await visit.choose(ACCEPT);
    await visit.done();
    await add("two.js");
    await visit.page.waitForFunction("window.ran.includes('two.js')");
    await visit.choose(REFUSE);
    await add("three.js");
    await visit.page.waitForLoadState("networkidle");
    expect(visit.asked).toEqual(["unknown/manager.js", "facebook/one.js", "facebook/two.js"]);
    await visit.close();
  });
});

describe("frames and pictures", () => {
  it("of known vendors wait, and load once", async () => {
    await enter({
      body: inline(`new Image().src = "${META}/pixel.gif";
        const f = document.createElement("iframe"); f.title = "Video"; f.src = "https://www.youtube.com/embed/1";
        document.querySelector("main").append(f);
        const g = document.createElement("iframe"); g.title = "Other";
        document.querySelector("main").append(g); g.src = "https://www.youtube.com/embed/2"; g.src = "${OTHER}/3";`),
    });
    expect(visit.asked).toEqual(["unknown/3"]);
    await visit.choose(ACCEPT);
    await visit.done();
    await expect
      .poll(() => visit.asked.toSorted())
      .toEqual(["facebook/pixel.gif", "unknown/3", "youtube/1"]);
    await visit.close();
  });

  it("in the page's markup do not stay: a frame is emptied, and filled again after consent", async () => {
    await enter({
      body: `<iframe src="https://www.youtube.com/embed/1" title="Video"></iframe>`,
    });
    const frame = visit.page.frameLocator("iframe").locator("title");
    expect(await frame.count()).toBe(0);
    await visit.choose(ACCEPT);
    await expect.poll(() => frame.allTextContents()).toEqual(["A frame"]);
    await visit.close();
  });
});

describe("what is not held back", () => {
  it("is anything in a store that did not switch it on, or switched it off", async () => {
    for (const blocking of [null, { enabled: false }]) {
      await enter({ head: src(`${META}/meta.js`) }, { blocking });
      expect(visit.asked).toEqual(["facebook/meta.js"]);
      expect(await visit.page.content()).not.toMatch(/crm-held|Content-Security-Policy/i);
      await visit.close();
    }
  });

  it("is a vendor that the merchant lets run", async () => {
    await enter(
      { head: src(`${META}/meta.js`) + src(`${HOTJAR}/h.js`) },
      { blocking: { run: ["Meta"] } },
    );
    expect(visit.asked).toEqual(["facebook/meta.js"]);
    await visit.close();
  });

  it("is what follows Google's consent mode, unless the merchant says so; the store's own tag never", async () => {
    const tags =
      insert("https://www.googletagmanager.com/gtag/js?id=G-OTHER") +
      insert("https://www.googletagmanager.com/gtm.js?id=GTM-1");
    await enter({ body: tags });
    expect(visit.foreign).toHaveLength(2);
    await visit.close();
    await enter({ body: tags }, { blocking: { block: ["Google tag"] }, tag: "G-OWN" });
    expect(visit.foreign).toEqual(["https://www.googletagmanager.com/gtm.js?id=GTM-1"]);
    await visit.choose({ cookie: true, marketing: false });
    await visit.done();
    // The choice loads it: its request may come after the last script of the page has run.
    await expect
      .poll(() => visit.foreign.slice(1))
      .toEqual(["https://www.googletagmanager.com/gtag/js?id=G-OWN"]);
    await visit.close();
  });

  it("is anything in the theme editor", async () => {
    await enter({ head: src(`${META}/meta.js`) }, { isDesignMode: true });
    expect(visit.asked).toEqual(["facebook/meta.js"]);
    await visit.close();
  });

  it("is anything where the region asks nobody: at once from the second page on", async () => {
    await enter({ head: src(`${META}/meta.js`) }, { region: "JP13" });
    await visit.done();
    expect([visit.asked, await visit.runs()]).toEqual([["facebook/meta.js"], ["meta.js", "last"]]);
    await visit.page.goto(`https://${SHOP}/second`, { waitUntil: "commit" });
    await visit.page.waitForFunction("document.body && window.ran");
    expect(await visit.page.locator("[data-consent=marketing]").count()).toBe(0);
    await visit.close();
  });

  it("is not marketing where the browser sends Global Privacy Control, whatever is chosen or allowed", async () => {
    for (const region of ["DEBE", "JP13"]) {
      await enter({ head: HEAD }, { gpc: true, region });
      await visit.choose(ACCEPT);
      await visit.done();
      await visit.page.reload({ waitUntil: "networkidle" });
      expect(visit.asked.filter((name) => /facebook|tiktok/.test(name))).toEqual([]);
      await visit.close();
    }
  });

  it("is a choice that is too old or damaged", async () => {
    for (const kept of [
      { ...ACCEPT, at: "2020-01-01T00:00:00.000Z" },
      { cookie: true, marketing: "yes" },
    ]) {
      await enter({ head: HEAD }, { kept: { crm_consent: kept } });
      expect(visit.asked).toEqual(["unknown/other.js"]);
      await visit.close();
    }
  });
});

describe("a page", () => {
  it("works as without it: what its scripts insert, replace and throw is the same", async () => {
    const work = `const out = [];
      const d = document.createElement("div");
      out.push(document.body.appendChild(d) === d, d.append("a", document.createElement("b")), d.innerHTML);
      for (const wrong of [() => d.appendChild(null), () => d.append(Symbol()), () => document.createElement("img").setAttribute("src"),
        () => { document.createElement("script").src = Symbol(); }])
        try { wrong(); out.push("no error"); } catch (error) { out.push(error.name); }
      const i = new Image(); i.src = "http://["; i.setAttribute("alt", "x"); out.push(i.getAttribute("src"), i.alt);
      const s = document.createElement("script"); s.src = "//["; document.head.append(s);
      d.replaceWith(document.createTextNode("gone")); out.push(d.isConnected);
      document.write("<p id=w>", 1, "</p>"); out.push(document.getElementById("w").textContent);
      window.out = out;`;
    const results = [];
    for (const blocking of [{}, null]) {
      await enter({ body: inline(work) }, { blocking });
      results.push(await visit.page.evaluate("window.out"));
      await visit.close();
    }
    expect(results[0]).toEqual(results[1]);
    expect(results[0]).toHaveLength(11);
  });

  it.each(["[", "[12,0,[[1,2]]]", '[12,"",[["marketing","("]]]', "{}", "null"])(
    "with the damaged values %j is left as it is",
    async (value) => {
      await enter(
        { head: src(`${META}/meta.js`) },
        {
          blocking: null,
          metafields: [{ namespace: "crm", key: "held", type: "text", value }],
        },
      );
      expect(visit.asked).toEqual(["facebook/meta.js"]);
      await visit.close();
    },
  );
});
