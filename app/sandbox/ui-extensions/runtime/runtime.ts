// Runs one extension in its frame, which has an opaque origin: no cookies, no storage, no page around it. The
// extension's script gets the few globals that the platform has, and builds its elements in `document.body`.
// Messages with the page: `start`, calls that the page answers, the frame's height, and errors.
import { CONTROL_DRAWINGS, outside } from "./control-elements.ts";
import { defineElements, isKnownElement } from "./host-element.ts";
import { LAYOUT_DRAWINGS } from "./layout-elements.ts";
import { navigationApi, platformApi, strict, type Ask, type Start } from "./platform-api.ts";
import { STATUS_DRAWINGS } from "./status-elements.ts";

type Main = (...values: unknown[]) => unknown;
/** The names that the script sees; it is called with their values (sandbox: extension-frame.ts). */
type RunExtension = (globals: Record<string, unknown>) => Main;

const page = window.parent;
const post = (message: object) => page.postMessage(message, "*");

const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let calls = 0;
const ask: Ask = (name, ...values) =>
  new Promise((resolve, reject) => {
    calls += 1;
    waiting.set(calls, { resolve, reject });
    post({ call: calls, name, values });
  });

const say = (error: unknown) =>
  post({ error: error instanceof Error ? error.message : String(error) });
addEventListener("error", ({ error, message }) => say(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => say(reason));

/** `document` as the platform has it: enough for Preact, with the platform's own elements only. */
function extensionDocument(): object {
  const create = (tag: string) => {
    if (!isKnownElement(tag)) throw new Error(`<${tag}> is no element of this surface`);
    return document.createElement(tag);
  };
  return strict("document", {
    body: document.getElementById("extension"),
    createElement: create,
    createElementNS: (_: string | null, tag: string) => create(tag),
    createTextNode: (text: string) => document.createTextNode(text),
  });
}

/** In the admin a relative address is the app's, and calls of the app carry the token by themselves. */
function extensionFetch({ surface, appUrl, hasNetworkAccess }: Start): typeof fetch {
  return async (input, init = {}) => {
    const address = input instanceof Request ? input.url : String(input);
    const url = new URL(address, surface === "admin" ? appUrl : undefined);
    const isOfApp = url.origin === new URL(appUrl).origin;
    if (surface === "customerAccount" && !hasNetworkAccess)
      throw new TypeError("The extension does not declare network_access");
    const headers = new Headers(init.headers);
    if (surface === "admin" && isOfApp && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${(await ask("token")) as string}`);
    return fetch(url, { ...init, headers, credentials: "omit" });
  };
}

/** What a worker has beside JavaScript itself. */
const WORKER_GLOBALS = [
  "AbortController",
  "Blob",
  "FormData",
  "Headers",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "performance",
  "queueMicrotask",
  "setInterval",
  "setTimeout",
  "structuredClone",
] as const;

function globalsFor(start: Start): Record<string, unknown> {
  const shared = Object.fromEntries(
    WORKER_GLOBALS.map((name) => {
      const value = window[name] as unknown;
      const isFunction = typeof value === "function" && /^[a-z]/.test(name);
      return [name, isFunction ? (value as Main).bind(window) : value];
    }),
  );
  const own: Record<string, unknown> = {
    ...shared,
    document: extensionDocument(),
    shopify: platformApi(start, ask),
    navigation: navigationApi(start, ask),
    fetch: extensionFetch(start),
    APP_URL: start.appUrl,
  };
  return { ...own, globalThis: own, self: own };
}

async function run(start: Start): Promise<void> {
  document.documentElement.dataset["surface"] = start.surface;
  document.documentElement.lang = start.locale;
  defineElements(start.surface, { ...LAYOUT_DRAWINGS, ...STATUS_DRAWINGS, ...CONTROL_DRAWINGS });
  outside.open = ({ url, isNew }) => void ask(isNew ? "open" : "navigate", url);
  const observer = new ResizeObserver(() =>
    post({ height: Math.ceil(document.documentElement.getBoundingClientRect().height) }),
  );
  observer.observe(document.documentElement);
  const script = document.createElement("script");
  script.crossOrigin = "anonymous";
  script.src = start.scriptUrl;
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error("The extension was not loaded")));
  });
  document.head.append(script);
  await loaded;
  const { runExtension } = window as unknown as { runExtension: RunExtension };
  await runExtension(globalsFor(start))();
  post({ isRendered: true });
}

type Message = { start?: Start; call?: number; result?: unknown; problem?: string };
addEventListener("message", ({ source, data }: MessageEvent<Message>) => {
  if (source !== page) return;
  if (data.start) return void run(data.start).catch(say);
  const call = waiting.get(data.call ?? 0);
  waiting.delete(data.call ?? 0);
  if (data.problem === undefined) call?.resolve(data.result);
  else call?.reject(new Error(data.problem));
});
