/**
 * The theme editor of the simulated store: switches for the app's blocks and their settings on the left, the
 * store on the right. As on the platform, a link into the editor only prepares a block: the merchant saves.
 */
import { fieldsOf, textOf, type ApiResponse, type Call } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import type { BlockSettings, ShopState } from "../state.ts";
import { blockNames, schemaOf, schemaText, type Setting } from "../theme/theme-blocks.ts";
import {
  isActiveBlock,
  setActiveBlock,
  setBlockSettings,
  settingsOfBlock,
} from "../theme/theme-state.ts";
import { adminDocument, adminPath, badge, headed, type AdminPage } from "./admin-layout.ts";
import { ADMIN_STYLE } from "./admin-style.ts";

const EDITOR = "/themes/current/editor";
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const MAX_TEXT = 255;

/** Where the theme puts each block, in the order of the panel. */
const PLACES = [
  { block: "consent", group: "App embeds", preview: "home" },
  { block: "footer", group: "Footer", preview: "home" },
  { block: "account", group: "Account page", preview: "account" },
  { block: "compliance", group: "Privacy page", preview: "privacy" },
  { block: "cookies", group: "Cookie page", preview: "cookies" },
] as const;

const PREVIEWS = {
  home: { text: "Home page", path: "" },
  products: { text: "Products", path: "/collections/all" },
  cart: { text: "Cart", path: "/cart" },
  account: { text: "Account", path: "/pages/account" },
  privacy: { text: "Privacy", path: "/pages/privacy" },
  cookies: { text: "Cookies", path: "/pages/cookies" },
} as const;
type Preview = keyof typeof PREVIEWS;

const STYLE = `
body{background:var(--ground)}.editor{display:grid;grid-template-columns:21rem minmax(0,1fr);min-height:calc(100dvh - var(--bar))}
.bar{position:sticky;top:0;z-index:5;min-height:var(--bar);background:#fff;border-bottom:1px solid var(--line);display:flex;gap:.5rem 1rem;align-items:center;padding:.5rem 1rem}.bar h1{font-size:1rem;flex:1;min-width:0}
.panel{background:#fff;border-right:1px solid var(--line);padding:1rem;display:grid;gap:.75rem;align-content:start;height:calc(100dvh - var(--bar));overflow-y:auto;position:sticky;top:var(--bar)}
.panel h2{font-size:.8rem;color:var(--quiet);margin:.5rem 0 0}.block{border:1px solid var(--line);border-radius:.6rem;padding:.75rem;display:grid;gap:.65rem;min-width:0;margin:0}.block.new{border-color:#005bd3;box-shadow:0 0 0 1px #005bd3}
.block summary{cursor:pointer;color:var(--quiet)}.block details>div{display:grid;gap:.65rem;padding-top:.6rem}
.switch{display:flex;justify-content:space-between;align-items:center;gap:1rem;font-weight:650}
.switch input{appearance:none;flex:none;width:2.4rem;height:1.4rem;border-radius:1rem;background:#8a8a8a;position:relative;margin:0;cursor:pointer}.switch input::after{content:"";position:absolute;top:.2rem;left:.2rem;width:1rem;height:1rem;border-radius:50%;background:#fff;transition:left .12s}.switch input:checked{background:#007a5c}.switch input:checked::after{left:1.2rem}
@media(forced-colors:active){.switch input{appearance:auto}}
.stage{padding:1rem;display:grid;grid-template-rows:auto 1fr;gap:.75rem;min-width:0;height:calc(100dvh - var(--bar));position:sticky;top:var(--bar)}.tabs{display:flex;flex-wrap:wrap;gap:.4rem}.tabs a[aria-current]{background:#303030;color:#fff;border-color:#303030}
.stage iframe{width:100%;height:100%;border:0;border-radius:.75rem;background:#fff;box-shadow:0 0 0 1px #00000014,0 4px 16px #0000001a}
@media(max-width:56rem){.editor{grid-template-columns:minmax(0,1fr)}.panel{position:static;height:auto;border-right:0}.stage{position:static;height:85dvh}}
`;

export function themeEditor(shop: ShopState, query: URLSearchParams): ApiResponse {
  const [, asked = ""] = (query.get("activateAppId") ?? query.get("addAppBlockId") ?? "").split(
    "/",
  );
  const added = blockNames().includes(asked) && !isActiveBlock(shop, asked) ? asked : "";
  const preview = previewOf(query, asked);
  const frame = `/store/${shop.domain}${PREVIEWS[preview].path}?design=${added}`;
  const tabs = Object.entries(PREVIEWS).map(([name, { text }]) => {
    const kept = new URLSearchParams(query);
    kept.delete("saved");
    kept.set("preview", name);
    return html`<a
      class="button"
      href="?${kept.toString()}"
      ${trusted(name === preview ? ' aria-current="page"' : "")}
      >${text}</a
    >`;
  });
  const state = added
    ? badge("Unsaved changes", "attention")
    : query.has("saved") && html`<span role="status">${badge("Saved", "good")}</span>`;
  const blocks = PLACES.filter(({ block }) => blockNames().includes(block)).map(
    ({ block, group }, at) =>
      html`${group !== PLACES[at - 1]?.group && html`<h2>${group}</h2>`}${blockPanel(shop, block, block === added)}`,
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>Theme editor · ${shop.name}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(ADMIN_STYLE + STYLE)}
        </style>
      </head>
      <body>
        <form method="post" action="${adminPath(shop, EDITOR)}?preview=${preview}">
          <header class="bar">
            <a class="button" href="${adminPath(shop, "/themes")}">Exit</a>
            <h1>Theme editor of ${shop.name}</h1>
            ${state}<button class="button primary">Save</button>
          </header>
          <main class="editor">
            <section class="panel" aria-label="Blocks of the app">${blocks}</section>
            <section class="stage" aria-label="Preview">
              <nav class="tabs" aria-label="Page">${tabs}</nav>
              <iframe title="Preview of the store" src="${frame}"></iframe>
            </section>
          </main>
        </form>
      </body>
    </html>`;
  return adminDocument(page, POLICY);
}

function previewOf(query: URLSearchParams, block: string): Preview {
  const asked = query.get("preview") ?? "";
  if (Object.hasOwn(PREVIEWS, asked)) return asked as Preview;
  return PLACES.find((place) => place.block === block)?.preview ?? "home";
}

function blockPanel(shop: ShopState, block: string, isNew: boolean): Html {
  const { name, settings } = schemaOf(block);
  const isOn = isNew || isActiveBlock(shop, block);
  const current = settingsOfBlock(shop, block);
  return html`<div class="block${isNew ? " new" : ""}"><label class="switch"><span>${schemaText(name)}</span><input type="checkbox" role="switch" name="${block}" value="on"${trusted(isOn ? " checked" : "")}></label>
<details${trusted(isNew ? " open" : "")}><summary>Settings of ${schemaText(name)}</summary><div>${settings.map((setting) => settingField(block, setting, current))}</div></details></div>`;
}

function settingField(block: string, setting: Setting, current: BlockSettings): Html {
  const { id = "", type, label = id, info, options = [] } = setting;
  const name = `${block}.${id}`;
  const value = current[id] ?? setting.default;
  const help = info === undefined ? false : html`<span class="help">${schemaText(info)}</span>`;
  if (type === "checkbox")
    return html`<label class="tick"
      ><input
        type="checkbox"
        name="${name}"
        value="on"
        ${trusted(value === true ? " checked" : "")}
      />
      <span>${schemaText(label)} ${help}</span></label
    >`;
  if (type === "select")
    return html`<label
      >${schemaText(label)}<select name="${name}">
        ${options.map(
          (option) =>
            html`<option
              value="${option.value}"
              ${trusted(option.value === value ? " selected" : "")}
            >
              ${schemaText(option.label)}
            </option>`,
        )}</select
      >${help}</label
    >`;
  return html`<label
    >${schemaText(label)}<input
      type="text"
      name="${name}"
      maxlength="${MAX_TEXT}"
      value="${textOf(value)}"
    />${help}</label
  >`;
}

/** POST: switches and settings as they stand in the form. Returns the address to go on to. */
export function saveTheme(shop: ShopState, call: Call): string {
  const fields = fieldsOf(call.body);
  for (const block of blockNames()) {
    setActiveBlock(shop, block, fields[block] === "on");
    setBlockSettings(shop, block, readSettings(block, fields));
  }
  return `${adminPath(shop, EDITOR)}?saved&preview=${previewOf(call.query, "")}`;
}

function readSettings(block: string, fields: Record<string, unknown>): BlockSettings {
  return Object.fromEntries(
    schemaOf(block).settings.flatMap<[string, string | boolean]>(
      ({ id, type, default: preset, options = [] }) => {
        if (id === undefined) return [];
        const given = textOf(fields[`${block}.${id}`]).trim().slice(0, MAX_TEXT);
        if (type === "checkbox") return [[id, given === "on"]];
        // An emptied text is the block's default again, as in the platform's editor.
        const isChoice = options.length === 0 || options.some(({ value }) => value === given);
        return [[id, given === "" || !isChoice ? textOf(preset) : given]];
      },
    ),
  );
}

export const noThemeBlocks = (): AdminPage => ({
  title: "Theme editor",
  section: "/themes",
  content: headed("Theme editor", html`<p>The app's theme extension is not installed here.</p>`),
});
