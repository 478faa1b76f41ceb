/**
 * Runs a UI extension in a page of the sandbox, as the platform does: in a frame without the page's origin,
 * cookies and storage, which reaches the app only where the extension declares `network_access`, or in the admin,
 * which needs no such declaration. The page around it answers its calls (page-double.js).
 */
import { readFileSync } from "node:fs";
import { json, text } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";
import { html, trusted, type Html } from "../html.ts";
import {
  extensionName,
  findUiExtension,
  readBundle,
  readRuntime,
  uiExtensions,
  type UiExtension,
} from "./declared-extensions.ts";
import { FRAME_STYLE } from "./frame-style.ts";

/** Where the frames and their scripts are. */
export const UI_EXTENSIONS_PATH = "/ui-extensions";

/** What the frame is for; `token` is the address that the page fetches session tokens from. */
export type Mount = {
  surface: "customerAccount" | "admin";
  target: string;
  appUrl: string;
  locale: string;
  country?: string;
  currency?: string;
  customerId?: string | null;
  selected?: { id: string }[];
  /** The address of the page, as the extension sees it. */
  url: string;
  /** Addresses of the page's own server. */
  tokenUrl: string;
  queryUrl?: string;
  /** Where `extension:{handle}/` leads. */
  extensionPages?: Record<string, string>;
};

/** The names that an extension's script sees beside JavaScript itself: a page has many more. */
const HIDDEN_NAMES =
  "window parent top frames frameElement opener location history localStorage sessionStorage indexedDB caches cookieStore alert confirm prompt open print close postMessage XMLHttpRequest WebSocket EventSource Worker SharedWorker HTMLElement customElements getComputedStyle requestAnimationFrame";

/** The markup of a frame with the extension; null where the app has none for the target. */
export function extensionFrame(mount: Mount): Html | null {
  const extension = findUiExtension(mount.target);
  if (!extension) return null;
  const { texts, defaultLocale, handle } = extension;
  const textsLocale =
    [mount.locale, mount.locale.split("-")[0] ?? ""].find((one) => one in texts) ?? defaultLocale;
  const start = {
    country: "DE",
    currency: "EUR",
    customerId: null,
    selected: [],
    ...mount,
    apiVersion: extension.apiVersion,
    hasNetworkAccess: extension.hasNetworkAccess,
    textsLocale,
    texts: texts[textsLocale],
    script: `${handle}/${mount.target}.js`,
  };
  return html`<div class="ui-extension" data-start="${JSON.stringify(start)}" data-state="loading">
      <iframe
        title="${extensionName(extension, textsLocale)}"
        sandbox="allow-scripts"
        data-src="${UI_EXTENSIONS_PATH}/${handle}/frame.html"
      ></iframe>
      <p class="ui-extension-error" role="alert" hidden></p>
    </div>
    ${trusted(`<script src="${UI_EXTENSIONS_PATH}/page.js"></script>`)}`;
}

export function answerUiExtensions(call: Call, appUrl: string): ApiResponse {
  const [, , folder = "", file = "", ...rest] = call.path.split("/");
  if (folder === "page.js" && file === "") return script(readPageScript());
  if (folder === "runtime.js" && file === "") return script(readRuntime());
  const extension = uiExtensions().find(({ handle }) => handle === folder);
  if (!extension || rest.length > 0) return text(404, "No such extension");
  if (file === "frame.html")
    return frame(call, reachesApp(extension) ? new URL(appUrl).origin : "'none'");
  const bundle = readBundle(extension.handle, file.replace(/\.js$/, ""));
  return bundle === null ? json(404, { error: "not_found" }) : script(wrap(bundle));
}

const reachesApp = ({ hasNetworkAccess, targets }: UiExtension): boolean =>
  hasNetworkAccess || targets.every((target) => target.startsWith("admin."));

const readPageScript = () => readFileSync(new URL("./page-double.js", import.meta.url), "utf8");

/** The script as a function of its globals: names that the platform does not have are undefined. */
const wrap = (bundle: string) =>
  `runExtension=function(own){const {APP_URL,document,shopify,navigation,fetch,globalThis,self}=own;var ${HIDDEN_NAMES.split(" ").join(",")};${bundle}\nreturn main.default??main;}`;

const script = (body: string): ApiResponse => ({
  status: 200,
  headers: {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-store",
    // The frame's origin is opaque: without it an error of a script would be "Script error".
    "access-control-allow-origin": "*",
  },
  body,
});

/** The frame's origin is opaque, so that `'self'` would be nothing. */
function frame({ headers }: Call, connect: string): ApiResponse {
  const own = `http://${headers.host ?? "localhost"}`;
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src ${own}; style-src 'unsafe-inline'; connect-src ${connect}; frame-ancestors ${own}; base-uri 'none'`,
    },
    body: html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <title>Extension</title>
          <style>
            ${trusted(FRAME_STYLE)}
          </style>
        </head>
        <body>
          <div id="extension"></div>
          ${trusted(`<script crossorigin src="${UI_EXTENSIONS_PATH}/runtime.js"></script>`)}
        </body>
      </html>`.text,
  };
}
