// The cost of the app embed for a shopper's page: the same theme page with and without it,
// interleaved, in a real browser throttled to a mid-range phone's network and CPU. The page has the
// banner from the app's metafields, as the theme writes it; what it still asks for goes through the app
// proxy to the real service. And the sizes of what the service sends.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { DEFAULT_DESIGN } from "../../app/domain/tenants/banner/banner-design.ts";
import { toLoaderValues } from "../../app/domain/tenants/storefront/loader-values.ts";
import type { Tenant } from "../../app/domain/tenants/tenant.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { passOn, PROXY_PATH } from "../../app/sandbox/storefront/app-proxy.ts";
import { readAsset, renderBlock } from "../../app/sandbox/storefront/theme/theme-blocks.ts";
import { openBrowser } from "../support/browser/browser.ts";
import { APP_SECRET, SHOP } from "../support/service.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure } from "./side.ts";

const ROUNDS = 15;
/** Lighthouse's "slow 4G" and its CPU slow-down of a desktop. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;
const IMAGE_BYTES = 120_000;
const MAX_LOADER_BYTES = 2_048;
const MAX_FOOTER_BYTES = 6_144;
const SERVICE = "https://service.example";
const STORE = {
  shop: SHOP,
  config: {
    locale: "en",
    privacy_url: "https://store.example/policies/privacy-policy",
    terms_url: "https://store.example/policies/terms-of-service",
    support_email: "privacy@store.example",
    consent_mode: "basic",
  },
  connection: {},
} as unknown as Tenant;

type Page = { lcp: number; cls: number; blocking: number };

/** An incompressible image (a bitmap of noise) as the largest element on the page. */
function noisePicture(): Buffer {
  const side = Math.floor(Math.sqrt(IMAGE_BYTES / 3 / 4)) * 4;
  const pixels = randomBytes(side * Math.floor(IMAGE_BYTES / 3 / side) * 3);
  const head = Buffer.alloc(54);
  head.write("BM");
  head.writeUInt32LE(54 + pixels.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(side, 18);
  head.writeInt32LE(pixels.length / 3 / side, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, pixels]);
}

const OBSERVERS = `<script>window.seen={lcp:0,cls:0,blocking:0};
new PerformanceObserver(l=>l.getEntries().forEach(e=>seen.lcp=e.startTime)).observe({type:'largest-contentful-paint',buffered:true});
new PerformanceObserver(l=>l.getEntries().forEach(e=>{if(!e.hadRecentInput)seen.cls+=e.value})).observe({type:'layout-shift',buffered:true});
new PerformanceObserver(l=>l.getEntries().forEach(e=>seen.blocking+=Math.max(0,e.duration-50))).observe({type:'longtask',buffered:true});</script>`;

/** As the service writes them for a store with a banner of its own. */
function metafields() {
  const loader = toLoaderValues({
    shop: SHOP,
    serviceUrl: SERVICE,
    consentMode: "basic",
    measurementId: "G-BENCH1",
    policyVersion: null,
    consentMonths: 12,
    regions: null,
  });
  const footer = renderThemeFooters(STORE, { version: 1, design: DEFAULT_DESIGN }, SERVICE);
  return Object.entries({ loader, footer }).map(([key, value]) => ({
    namespace: "crm",
    key,
    type: "json",
    value: JSON.stringify(value),
  }));
}

async function themePage(hasEmbed: boolean): Promise<string> {
  const embed = hasEmbed
    ? await renderBlock("consent", {
        shop: SHOP,
        locale: "en",
        metafields: metafields(),
        assetUrl: (asset) => `/assets/${asset}`,
      })
    : "";
  const products =
    "<li><h2>Trail Camera</h2><p>Takes a picture when it detects movement, for months, in any weather.</p></li>".repeat(
      40,
    );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>A store</title><link rel="icon" href="data:,">${OBSERVERS}${embed}<style>body{margin:0;font:1rem/1.5 sans-serif}img{width:100%;height:60vh;object-fit:cover}</style></head><body><main><img src="/picture.bmp" alt=""><h1>Things to buy</h1><ul>${products}</ul></main></body></html>`;
}

export async function benchEmbeds(serverUrl: string): Promise<Measure[]> {
  const side = await startSide(serverUrl, "bench_embeds", "web");
  const picture = noisePicture();
  const pages: Record<string, string> = {
    "/with": await themePage(true),
    "/without": await themePage(false),
  };
  const store = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://store");
    // A store's CDN compresses what it forwards.
    const send = (
      status: number,
      headers: Record<string, string> | undefined,
      body: string | Buffer,
    ) =>
      void response
        .writeHead(status, { ...headers, "Content-Encoding": "gzip" })
        .end(gzipSync(body));
    const page = pages[url.pathname];
    if (page) return send(200, { "Content-Type": "text/html; charset=utf-8" }, page);
    if (url.pathname === "/picture.bmp")
      return void response.writeHead(200, { "Content-Type": "image/bmp" }).end(picture);
    if (url.pathname.startsWith("/assets/"))
      return send(
        200,
        { "Content-Type": "text/javascript" },
        readAsset(url.pathname.slice(8)) ?? "",
      );
    // What the banner reports to be counted.
    if (request.method === "POST") return void response.writeHead(204).end();
    if (!url.pathname.startsWith(`${PROXY_PATH}/`)) return void response.writeHead(404).end();
    const call = {
      method: "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      address: "",
      text: "",
      bytes: Buffer.alloc(0),
      body: "",
    };
    void passOn(call, {
      appUrl: side.server.url,
      secret: APP_SECRET,
      shop: SHOP,
      customerId: "",
    }).then((reply) => send(reply.status, reply.headers, reply.body ?? ""));
  });
  await new Promise<void>((ready) => store.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const browser = await openBrowser();

  const load = async (path: string): Promise<Page> => {
    const { page, close } = await browser.visit([origin]);
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    await client.send("Network.emulateNetworkConditions", NETWORK);
    await client.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.goto(origin + path, { waitUntil: "networkidle" });
    if (path === "/with") await page.locator(".crm-banner").waitFor();
    const seen = (await page.evaluate("window.seen")) as Page;
    await close();
    return seen;
  };

  const rounds: Record<string, Page[]> = { "/with": [], "/without": [] };
  for (const path of Object.keys(rounds)) await load(path);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const path of round % 2 ? ["/with", "/without"] : ["/without", "/with"])
      rounds[path]?.push(await load(path));
  const packedBytes = async (path: string) => {
    const answer = await fetch(`${side.server.url}${path}?shop=${SHOP}`);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    return gzipSync(await answer.text(), { level: 9 }).length;
  };
  const loaderBytes = await packedBytes("/embed/stack-loader.js");
  const footerBytes = await packedBytes("/embed/footer");
  await browser.close();
  store.closeAllConnections();
  store.close();
  await stopSide(side);

  const median = (path: string, of: keyof Page) =>
    percentile(
      (rounds[path] as Page[]).map((one) => one[of]),
      0.5,
    );
  return [
    {
      name: "loader_bytes",
      value: loaderBytes / MAX_LOADER_BYTES,
      bound: "2,048 bytes, compressed (goal: <= 1)",
      floor: (value) => value <= 1,
    },
    {
      name: "footer_bytes",
      value: footerBytes / MAX_FOOTER_BYTES,
      bound: "6,144 bytes, compressed (goal: <= 1)",
      floor: (value) => value <= 1,
    },
    {
      name: "page_lcp",
      value: median("/with", "lcp") / median("/without", "lcp"),
      bound: "the page's largest paint without the embed (goal: <= 1.02)",
      floor: (value) => value < 1.25,
    },
    // Both are often zero: the difference, in hundredths of a unit and in milliseconds.
    {
      name: "page_cls_added",
      value: 100 * (median("/with", "cls") - median("/without", "cls")),
      bound: "a hundredth of layout shift (goal: 0)",
      floor: (value) => value < 5,
    },
    {
      name: "page_blocking_added",
      value:
        (median("/with", "blocking") - median("/without", "blocking")) / median("/without", "lcp"),
      bound: "the page's largest paint, as blocking time added (goal: <= 0.02)",
      floor: (value) => value < 0.25,
    },
  ];
}
