/** The console's pages: the live map, the agent playground, the raw state in tabs, and the inbox. */
import { readFileSync } from "node:fs";
import { page, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Sandbox } from "../sandbox.ts";
import { inboxTable, mailPage } from "./inbox-page.ts";
import type { LiveConsole } from "./live/live-console.ts";
import { mapPage } from "./map-page.ts";
import { escapeHtml, layout } from "./page-layout.ts";
import { playgroundPage } from "./playground/playground-page.ts";
import { RAW_TABS } from "./raw-state.ts";

/** The policy of the other pages, with the console's own style and script. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const SCRIPTS = ["console", "calls", "dom", "lines", "playground", "story", "world"];
const ASSETS: Record<string, string> = {
  "console.css": "text/css; charset=utf-8",
  "playground.css": "text/css; charset=utf-8",
  ...Object.fromEntries(SCRIPTS.map((name) => [`${name}.js`, "text/javascript; charset=utf-8"])),
};

export function answerPage(sandbox: Sandbox, live: LiveConsole, call: Call): ApiResponse {
  if (call.method !== "GET") return text(405, "Use GET");
  const asset = /^\/console\/([a-z.]+)$/.exec(call.path)?.[1] ?? "";
  if (Object.hasOwn(ASSETS, asset)) return sendAsset(asset);
  if (call.path === "/") return consolePage(overview(sandbox, live, call.query.get("tab")));
  if (call.path === "/playground") {
    const shop = live.shop();
    return consolePage(playgroundPage(shop, consoleHead(sandbox, shop, "playground")));
  }
  if (call.path === "/inbox") {
    const inbox = `<main><section class="card"><h1>Inbox</h1>${inboxTable(sandbox.email.inbox(), Infinity)}</section></main>`;
    return consolePage(layout("Inbox", inbox, consoleHead(sandbox, live.shop(), "mail")));
  }
  const id = /^\/inbox\/([^/]+)$/.exec(call.path)?.[1];
  const mail = sandbox.email.inbox().find((candidate) => candidate.id === id);
  return mail
    ? page(200, mailPage(mail, consoleHead(sandbox, live.shop(), "mail")))
    : text(404, "Nothing here");
}

function consolePage(html: string): ApiResponse {
  const answer = page(200, html);
  return {
    ...answer,
    headers: { ...answer.headers, "content-security-policy": CONSOLE_POLICY },
  };
}

function sendAsset(name: string): ApiResponse {
  return {
    status: 200,
    headers: { "content-type": ASSETS[name] ?? "", "cache-control": "no-store" },
    body: readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8"),
  };
}

function overview(sandbox: Sandbox, live: LiveConsole, tab: string | null): string {
  const shop = live.shop();
  const raw = RAW_TABS.find(({ name }) => name === tab);
  if (!raw) return mapPage(sandbox, live, consoleHead(sandbox, shop, "map"));
  const content = `<main id="raw" data-raw tabindex="-1"><h1 class="unseen">${escapeHtml(raw.label)}</h1>${raw.content(sandbox, shop)}</main>`;
  return layout(raw.label, content, consoleHead(sandbox, shop, raw.name), SCRIPT);
}

const SCRIPT =
  '<link rel="stylesheet" href="/console/console.css"><script type="module" src="/console/console.js"></script>';

/** The bar with the links to every page of the demo, and the tabs. */
function consoleHead(sandbox: Sandbox, shop: string, current: string): string {
  const views = [
    { name: "map", label: "Live map", href: "/" },
    { name: "playground", label: "Agent playground", href: "/playground" },
    ...RAW_TABS.map(({ name, label }) => ({ name, label, href: `/?tab=${name}` })),
  ];
  const tabs = views.map(({ name, label, href }) => {
    return `<a href="${href}"${name === current ? ' aria-current="page"' : ""}>${escapeHtml(label)}</a>`;
  });
  const places = [
    [`/store/${shop}`, "Store"],
    [`/accounts/${shop}`, "Customer accounts"],
    [`/storefront/${shop}/admin`, "Store admin"],
    ["/inbox", "Inbox"],
    ["/?tab=people", "People"],
    [sandbox.appUrl(), "The service"],
  ].map(([href, label]) => `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`);
  return `<header class="top"><div><p class="brand"><a href="/">Demo console</a><span>${escapeHtml(shop)}</span></p>
    <nav aria-label="Places">${places.join("")}</nav></div>
    <nav class="tabs" aria-label="Views">${tabs.join("")}</nav></header>`;
}
