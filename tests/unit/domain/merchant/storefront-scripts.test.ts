// The reading of a store's pages: the snippets of vendors' installation guides, and pages that nobody
// should have to read.
import { describe, expect, it } from "vitest";
import { findScripts } from "../../../../app/domain/storefront-check/find-scripts.ts";
import type { FoundScript } from "../../../../app/domain/storefront-check/found-script.ts";
import { toHeldGroups } from "../../../../app/domain/vendors/script-blocking.ts";
import { KNOWN_VENDORS } from "../../../../app/domain/vendors/known-vendors.ts";
import { SCRIPTS_OF_OTHERS } from "../../../../app/sandbox/storefront/visitors/scripts-of-others.ts";
import { processorMs } from "../../../support/processor-time.ts";

const STORE = "https://www.store.example";
const find = (html: string, name = "home") =>
  findScripts([{ name, url: `${STORE}/en`, html }], [STORE]);
const only = (html: string): FoundScript => {
  const { scripts } = find(html);
  expect(scripts).toHaveLength(1);
  return scripts[0] as FoundScript;
};

const META = `<script>
!function(f,b,e,v,n,t,s){if(f.fbq)return;n=f.fbq=function(){};
t=b.createElement(e);t.async=!0;t.src=v;s=b.getElementsByTagName(e)[0];s.parentNode.insertBefore(t,s)}
(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');
fbq('init','1');</script>`;
const GTM = `<script>(function(w,d,s,l,i){w[l]=w[l]||[];var f=d.getElementsByTagName(s)[0],
j=d.createElement(s);j.async=true;j.src='https://www.googletagmanager.com/gtm.js?id='+i;
f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-1');</script>`;
const DEFAULTS = "<script>gtag('consent', 'default', {ad_storage:'denied'})</script>";

describe("a script of a known vendor", () => {
  it.each<[string, string, Partial<FoundScript>]>([
    ["Meta", META, { kind: "inline", address: "connect.facebook.net/en_US/fbevents.js" }],
    [
      "TikTok",
      `<script>!function(w,d,t){var r="https://analytics.tiktok.com/i18n/pixel/events.js"}(window,document,'ttq')</script>`,
      { kind: "inline", purposes: ["marketing"] },
    ],
    [
      "Microsoft Advertising",
      `<script>(function(w,d,t,r,u){})(window,document,"script","//bat.bing.com/bat.js","uetq");</script>`,
      { kind: "inline", address: "bat.bing.com/bat.js" },
    ],
    [
      "Microsoft Clarity",
      `<script>(function(c,l,a,r,i,t,y){t.src="https://www.clarity.ms/tag/"+i;})(window,document,"clarity","script","x");</script>`,
      { purposes: ["analytics"] },
    ],
    [
      "Hotjar",
      `<script>(function(h,o,t,j,a,r){})(window,document,'https://static.hotjar.com/c/hotjar-','.js?sv=');</script>`,
      { address: "static.hotjar.com/c/hotjar-" },
    ],
    ["Pinterest", `<script async src="https://s.pinimg.com/ct/core.js"></script>`, {}],
    [
      "Klaviyo",
      `<script async src="//static.klaviyo.com/onsite/js/klaviyo.js?company_id=AB"></script>`,
      { kind: "script", address: "static.klaviyo.com/onsite/js/klaviyo.js" },
    ],
    [
      "Gorgias",
      `<script id="gorgias-chat-widget-install-v3" src="https://config.gorgias.chat/bundle-loader/01H"></script>`,
      { purposes: ["preferences"] },
    ],
    ["Tidio", `<script src="//code.tidio.co/key.js" async></script>`, {}],
    ["Criteo", `<script src="//dynamic.criteo.com/js/ld/ld.js?a=1&amp;b=2" async></script>`, {}],
    [
      "YouTube",
      `<iframe src="https://www.youtube.com/embed/x?rel=0" title="Film"></iframe>`,
      { kind: "frame", address: "www.youtube.com/embed/x" },
    ],
    [
      "Meta",
      `<img height="1" width="1" src="https://www.facebook.com/tr?id=1&amp;ev=PageView">`,
      { kind: "image", address: "www.facebook.com/tr" },
    ],
    ["Google Tag Manager", GTM, { purposes: ["analytics", "marketing"] }],
    [
      "Snapchat",
      `<SCRIPT SRC = 'HTTPS://SC-STATIC.NET/scevent.min.js'></SCRIPT>`,
      { address: "sc-static.net/scevent.min.js" },
    ],
    ["Meta", `<img style="Display: none" src="https://www.facebook.com/tr?id=1">`, {}],
    [
      "Hotjar",
      String.raw`<script>a("https:\/\/static.hotjar.com\/c\/h.js")</script>`,
      { kind: "inline", address: "static.hotjar.com/c/h.js" },
    ],
    [
      "Hotjar",
      String.raw`<script>a("https:\u002f\u002Fstatic.hotjar.com\u002fc")</script>`,
      { kind: "inline", address: "static.hotjar.com/c" },
    ],
    ["Hotjar", `<script src="https://static.hotjar.com/h.js" src="/own.js"></script>`, {}],
    [
      "Hotjar",
      `<base href="https://static.hotjar.com/c/"><base href="/"><script src="h.js"></script>`,
      { address: "static.hotjar.com/c/h.js" },
    ],
  ])("%s loads before consent where nothing holds it back", (vendor, html, more) => {
    const found = only(html);
    expect(found).toMatchObject({ vendor, state: "before_consent", advice: "mark", ...more });
    expect(found.address).not.toContain("?");
    expect(found.snippet).toContain("data-consent=");
  });

  it("gets exactly its own marked version, which the check then finds waiting", () => {
    const script = only(
      `<script async id="k" data-x='a"b' src="https://static.klaviyo.com/k.js?a=1&amp;b=2"></script>`,
    );
    expect(script.snippet).toBe(
      `<script type="text/plain" data-consent="marketing" async id="k" data-x="a&quot;b" data-src="https://static.klaviyo.com/k.js?a=1&amp;b=2"></script>`,
    );
    const inline = only(META);
    expect(inline.snippet).toBe(
      META.replace("<script>", '<script type="text/plain" data-consent="marketing">'),
    );
    const frame = only(`<iframe src="https://player.vimeo.com/video/1" title="Film"></iframe>`);
    expect(frame.snippet).toBe(
      `<iframe data-consent="preferences" title="Film" data-src="https://player.vimeo.com/video/1"></iframe>`,
    );
    const image = only(`<img width=1 height=1 src="https://www.facebook.com/tr?id=1&amp;x=</">`);
    expect(image.snippet).toContain(
      `new Image().src = "https://www.facebook.com/tr?id=1&x=\\u003c/"`,
    );
    const module = only(`<script type="module" src="https://cdn.amplitude.com/a.js"></script>`);
    expect(module.snippet).toContain('data-type="module"');
    for (const { snippet } of [script, inline, frame, module])
      expect(only(snippet as string)).toMatchObject({ state: "waits", advice: null });
    expect(only(image.snippet as string)).toMatchObject({ state: "waits", vendor: "Meta" });
  });

  it("follows Google's consent mode only behind the page's defaults, and never without scripts", () => {
    const states = (html: string) => find(html).scripts.map(({ state }) => state);
    expect(states(DEFAULTS + GTM)).toEqual(["google_consent_mode"]);
    expect(states(GTM + DEFAULTS)).toEqual(["before_consent"]);
    expect(states(DEFAULTS + META)).toEqual(["before_consent"]);
    const frame = `<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=1"></iframe></noscript>`;
    expect(only(DEFAULTS + frame)).toMatchObject({
      vendor: "Google Tag Manager",
      state: "before_consent",
      advice: "remove",
      snippet: null,
    });
  });

  it("is blocked behind the page's own script that holds it back, as that script does it", () => {
    const values = (groups: unknown) =>
      `<script data-crm-held="${JSON.stringify([12, "", groups]).replaceAll('"', "&quot;")}">x</script>`;
    const all = values(
      toHeldGroups({ enabled: true, run: ["Hotjar"], block: ["Google Tag Manager"] }),
    );
    const states = (html: string) =>
      Object.fromEntries(find(html).scripts.map((one) => [one.address, [one.kind, one.state]]));
    const frame = '<iframe src="https://www.youtube.com/embed/1"></iframe>';
    const picture = '<img width="1" height="1" src="https://www.facebook.com/tr?id=1">';
    const hotjar = '<script src="https://static.hotjar.com/h.js"></script>';
    const early = '<script src="https://s.pinimg.com/ct/core.js"></script>';
    const list =
      '<script>function asyncLoad() { var urls = ["https:\\/\\/loox.io\\/a.js"]; }</script>';
    expect(
      states(
        early +
          all +
          DEFAULTS +
          META +
          GTM +
          frame +
          picture +
          hotjar +
          list +
          `<noscript>${picture}</noscript>`,
      ),
    ).toEqual({
      "s.pinimg.com/ct/core.js": ["script", "before_consent"],
      "connect.facebook.net/en_US/fbevents.js": ["inline", "blocked"],
      "www.googletagmanager.com/gtm.js": ["inline", "blocked"],
      "www.youtube.com/embed/1": ["frame", "before_consent"],
      "www.facebook.com/tr": ["image", "before_consent"],
      "static.hotjar.com/h.js": ["script", "before_consent"],
      "loox.io/a.js": ["script", "blocked"],
    });
    for (const broken of ["{", "[1]", '[12,"",[["marketing","("]]]', "null"])
      expect(states(`<script data-crm-held='${broken}'>x</script>${hotjar}`)).toEqual({
        "static.hotjar.com/h.js": ["script", "before_consent"],
      });
  });

  it("where no script runs is to be removed, also a picture of any size", () => {
    const picture = '<img src="https://www.facebook.com/tr?id=1">';
    expect(find(picture).scripts).toEqual([]);
    expect(only(`</noscript><noscript>${picture}</noscript>`)).toMatchObject({
      state: "before_consent",
      advice: "remove",
      snippet: null,
    });
  });

  it("that an app registered is found in the platform's own list, and cannot be marked", () => {
    const urls = String.raw`["https:\/\/static.klaviyo.com\/k.js?company_id=A\u0026shop=s.myshopify.com","https:\/\/x.app.example\/a.js"]`;
    const { scripts } = find(
      `<script>(function() { function asyncLoad() { var urls = ${urls}; } })();</script>`,
    );
    expect(scripts).toMatchObject([
      { vendor: "Klaviyo", state: "before_consent", advice: "ask_app", snippet: null },
      { vendor: null, address: "x.app.example/a.js", state: "unknown", advice: "ask_app" },
    ]);
  });

  it("whose code writes into the page while that loads cannot wait", () => {
    const code = `document.write('<script src="https://static.ads-twitter.com/uwt.js"><\\/script>')`;
    expect(only(`<script>${code}</script>`)).toMatchObject({ vendor: "X", advice: "cannot_wait" });
  });

  it("inside long code gets the opening tag to replace", () => {
    const long = META.replace("fbq('init'", `/* ${"x".repeat(5_000)} */fbq('init'`);
    expect(only(long)).toMatchObject({
      advice: "mark_tag",
      snippet: '<script type="text/plain" data-consent="marketing">',
    });
  });

  it("shares its mark with the others in one snippet", () => {
    const both = META.replace("fbq('init'", `a("https://static.hotjar.com/c/h.js");fbq('init'`);
    const { scripts } = find(both);
    expect(scripts.map(({ vendor }) => vendor)).toEqual(["Meta", "Hotjar"]);
    for (const { snippet } of scripts) expect(snippet).toContain('"analytics marketing"');
  });
});

describe("other scripts", () => {
  it("of somebody unknown are listed as such, with the strictest mark", () => {
    expect(only('<script src="https://cdn.unknown.example/a.js?x=1"></script>')).toMatchObject({
      vendor: null,
      state: "unknown",
      purposes: [],
      snippet:
        '<script type="text/plain" data-consent="analytics marketing" data-src="https://cdn.unknown.example/a.js?x=1"></script>',
    });
  });

  it("of the platform are its own; a file of an app on its CDN is the app's", () => {
    const { scripts } = find(`<script src="https://cdn.shopify.com/s/trekkie.js"></script>
      <script src="https://cdn.shopify.com/extensions/0-1/inbox-1177/assets/chat.js"></script>
      <script id="web-pixels-manager-setup">f("https://connect.facebook.net/x.js")</script>`);
    expect(scripts.map(({ vendor, state, advice }) => [vendor, state, advice])).toEqual([
      ["inbox", "unknown", "ask_app"],
      ["Shopify", "shopify", null],
      ["Shopify", "shopify", null],
    ]);
  });

  it("for payment and security are another group than those that measure", () => {
    expect(only('<script src="https://www.google.com/recaptcha/api.js"></script>')).toMatchObject({
      vendor: "Google reCAPTCHA",
      state: "necessary",
      advice: null,
    });
  });

  it("with a mark that names no purpose, or on a script that runs anyway, are named", () => {
    const src = "https://www.clarity.ms/tag/x";
    expect(
      only(`<script type="text/plain" data-consent="ads" data-src="${src}"></script>`),
    ).toMatchObject({ state: "waits", advice: "fix_purpose", purposes: [] });
    expect(
      only(`<script type="text/plain" data-consent="ads analytics" src="${src}"></script>`),
    ).toMatchObject({
      kind: "script",
      vendor: "Microsoft Clarity",
      advice: "fix_purpose",
      purposes: ["analytics"],
    });
    expect(only(`<script data-consent="analytics" src="${src}"></script>`)).toMatchObject({
      state: "before_consent",
      snippet: `<script type="text/plain" data-consent="analytics" data-src="${src}"></script>`,
    });
  });

  it.each([
    [
      "the store's own",
      `<script src="/cdn/shop/t/1/theme.js"></script><script src="${STORE}/a.js"></script>`,
    ],
    [
      "data, which no browser runs",
      `<script type="application/ld+json">{"a":"https://connect.facebook.net/x"}</script>`,
    ],
    [
      "inert in a template",
      `<template><script src="https://s.pinimg.com/a.js"></script></template>`,
    ],
    ["in a comment", `<!-- ${META} -->`],
    ["text of a page", `<textarea>${META}</textarea>`],
    [
      "code in an address",
      `<script src="javascript:alert(1)"></script><iframe src="data:text/html,x"></iframe>`,
    ],
    ["a picture that people see", `<img src="https://cdn.judge.me/a.png" width="80" height="80">`],
    ["a line that people see", `<img src="https://cdn.judge.me/a.png" width="1" height="80">`],
    [
      "a link to a vendor's page",
      `<script>a="https://www.youtube.com/watch?v=1";b="https://facebook.com/shop"</script>`,
    ],
    [
      "a vendor's name inside another host",
      `<script>a="https://connect.facebook.net.evil.example/x"</script>`,
    ],
  ])("that are %s are none of others", (_, html) => {
    expect(find(html).scripts).toEqual([]);
  });

  it("are listed once, with every page that contains them", () => {
    const pages = ["home", "cart"].map((name) => ({ name, url: STORE, html: META + META }));
    expect(findScripts(pages, [STORE]).scripts).toMatchObject([{ pages: ["home", "cart"] }]);
  });

  it("do not hide that the app embed is on one of the pages only", () => {
    const page = (name: string, html: string) => ({ name, url: STORE, html });
    const pages = [page("home", META), page("cart", "<script data-crm-config='[]'></script>")];
    expect(findScripts(pages, [STORE]).hasEmbed).toBe(true);
    expect(findScripts(pages.slice(0, 1), [STORE]).hasEmbed).toBe(false);
  });
});

describe("a hostile page", () => {
  it("with thousands of scripts is counted whole and listed to its limit, the worst first", () => {
    const many = Array.from(
      { length: 3_000 },
      (_, at) => `<script src="https://x${at}.example/a.js"></script>`,
    );
    const { scripts, counts } = find(many.join("") + META);
    expect(counts).toMatchObject({ unknown: 3_000, before_consent: 1 });
    expect(scripts).toHaveLength(100);
    expect(scripts[0]).toMatchObject({ vendor: "Meta" });
  });

  it.each([
    ["tags that never close", `${"<b>".repeat(300_000)}${"</i>".repeat(300_000)}`],
    ["addresses in code", `<script>${"//a.b/ ".repeat(250_000)}</script>`],
    ["attributes", `<img ${"a=b ".repeat(400_000)}>`],
    ["a comment without an end", `<!--${"<script>".repeat(200_000)}`],
    ["an attribute without an end", `<script src="${"x".repeat(2_000_000)}`],
  ])("of two megabytes of %s is read in linear time", (_, html) => {
    // A quadratic reading takes minutes, and the test's time limit ends it.
    expect(find(html).scripts).toEqual([]);
  });

  it.each([
    ["a pattern that never ends", "([a-z]+)+!", `https://${"a".repeat(60)}.example/`],
    ["a pattern that no engine reads", "(", "https://a.example/"],
    ["no text", 7, "https://a.example/"],
    ["more than ours ever is", "a.example/ ".repeat(1_000), "https://a.example/"],
  ])("that says it holds back %s holds back nothing", (_, addresses, src) => {
    const held = JSON.stringify([12, "", [["analytics", addresses]]]);
    expect(
      only(`<script data-crm-held='${held}'></script><script src="${src}"></script>`),
    ).toMatchObject({ state: "unknown" });
  });

  it.each([
    ["hosts without an end", `https://${"a.".repeat(5_000)}example/`, 200],
    ["one host of a megabyte", `https://${"a.".repeat(500_000)}example/`, 1],
  ])("with %s, which no browser finds, lists none of them", (_, src, times) => {
    const before = processorMs();
    expect(find(`<script src="${src}"></script>`.repeat(times)).scripts).toEqual([]);
    expect(processorMs() - before).toBeLessThan(1_000);
  });

  it.each([
    ["elements", (at: number) => `<iframe src=//${at.toString(36)}.x>`, "", ""],
    [
      "addresses of apps",
      (at: number) =>
        `"//${at.toString(36)}.x/",${at % 1_000 === 0 ? '"//x.x/"]</script><script>asyncLoad var urls = [' : ""}`,
      "<script>asyncLoad var urls = [",
      '"//end.x/"]</script>',
    ],
  ])("of two megabytes of %s is read as far as any store's page goes", (_, part, start, end) => {
    const parts = Array.from({ length: 110_000 }, (_, at) => part(at)).join("");
    const before = processorMs();
    const { counts } = find(start + parts + end);
    expect(counts.unknown).toBeLessThanOrEqual(5_000);
    expect(counts.unknown).toBeGreaterThan(4_000);
    expect(processorMs() - before).toBeLessThan(1_500);
  });

  it("with names of JavaScript's own objects, odd characters and half pairs gives plain, storable text", () => {
    const { scripts } = find(`<script src="https://constructor/__proto__"></script>
      <script __proto__="x" constructor src="https://toString.example/hasOwnProperty"></script>
      <script onload="alert(1)" a"b<c src="https://x.example/\u0000\ud800">\u0000</script>
      <script src="https://user:pass@y.example/p"></script>
      <iframe src="https://ünïcode.example/ä?q"></iframe>`);
    const text = JSON.stringify(scripts);
    expect(scripts).toHaveLength(5);
    expect(text).not.toMatch(/\\u0000|\\ud800/);
    for (const { address } of scripts) expect(address).toMatch(/^[\x21-\x7e]+$/);
    expect(text).toContain("xn--");
    expect(scripts.map(({ address }) => address).join()).not.toContain("pass");
    expect(scripts.find(({ address }) => address.startsWith("x.example"))?.snippet).not.toContain(
      "<c",
    );
  });
});

describe("the lists", () => {
  it("name each vendor and each address once, in lower case, with at least one purpose", () => {
    const names = KNOWN_VENDORS.map(({ name }) => name);
    const addresses = KNOWN_VENDORS.flatMap(({ at }) => at);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const address of addresses) expect(address).toMatch(/^[a-z0-9.-]+\.[a-z]+(\/[\w./-]+)?$/);
    for (const { purposes } of KNOWN_VENDORS) expect(purposes.length).toBeGreaterThan(0);
  });
});

it("the sandbox's storefront shows one of each kind", () => {
  const { scripts } = find(DEFAULTS + SCRIPTS_OF_OTHERS);
  expect(scripts.map(({ vendor, kind, state }) => [vendor, kind, state])).toEqual([
    ["Meta", "inline", "before_consent"],
    ["Klaviyo", "script", "before_consent"],
    ["Hotjar", "script", "before_consent"],
    ["Google Tag Manager", "frame", "before_consent"],
    ["Meta", "image", "before_consent"],
    [null, "script", "unknown"],
    ["Google Tag Manager", "inline", "google_consent_mode"],
    ["Pinterest", "script", "waits"],
    ["PayPal", "script", "necessary"],
    ["Shopify", "inline", "shopify"],
  ]);
});
