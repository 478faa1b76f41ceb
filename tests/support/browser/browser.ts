// A real browser that reaches only the origins a test names, and records errors.
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from "playwright-core";
import { chromiumIn, unpackUntilExit } from "./unpack-chromium.ts";

// The app answers 410 to a headless user agent.
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";

const THIS_MACHINE = "127.0.0.1";
const VIEWPORT = { width: 1_100, height: 620 };

export type Visit = {
  page: Page;
  /** Console errors and uncaught exceptions. */
  errors: string[];
  /** Requests to other origins; a host besides this machine is not found. */
  foreign: string[];
  close(): Promise<void>;
};

let launched: Promise<Browser> | undefined;

/**
 * One browser per worker for all its test files, because starting it takes a second. It ends with the
 * process.
 */
function launch(): Promise<Browser> {
  launched ??= (async () => {
    const { executablePath, env } = chromiumIn(
      process.env.CHROMIUM_FOLDER ?? (await unpackUntilExit()),
    );
    return chromium.launch({
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        // No page lives long enough for optimized code to pay for its compilation.
        "--js-flags=--no-opt --no-maglev",
        `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${THIS_MACHINE}`,
      ],
      env: { ...process.env, ...env },
    });
  })();
  return launched;
}

export async function openBrowser(): Promise<{
  visit(
    origins: string[],
    options?: {
      javaScriptEnabled?: boolean;
      viewport?: { width: number; height: number };
      deviceScaleFactor?: number;
      forcedColors?: "active";
      colorScheme?: "light" | "dark";
    },
  ): Promise<Visit>;
  /**
   * A page in one profile with the others that this opened, in a tab that an earlier visit has left if
   * there is one: its process has compiled the app's scripts. For pages that keep nothing in the browser.
   */
  visitAgain(
    origins: string[],
    options?: { viewport?: { width: number; height: number } },
  ): Promise<Visit>;
  /** Closes the visited pages. */
  close(): Promise<void>;
}> {
  const browser = await launch();
  const contexts = new Set<BrowserContext>();
  const newContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({
      userAgent: USER_AGENT,
      viewport: VIEWPORT,
      ...options,
    });
    contexts.add(context);
    context.once("close", () => contexts.delete(context));
    return context;
  };
  let profile: Promise<BrowserContext> | undefined;
  const tabs: Page[] = [];
  return {
    async visit(origins, options) {
      const context = await newContext(options);
      const { foreign, onRequest, onFailure } = watchRequests(origins);
      context.on("request", onRequest).on("requestfailed", onFailure);
      const page = await context.newPage();
      return { page, foreign, errors: watchErrors(page), close: () => context.close() };
    },
    async visitAgain(origins, { viewport = VIEWPORT } = {}) {
      profile ??= newContext();
      const page = tabs.pop() ?? onlyForAVisit(await (await profile).newPage());
      const { foreign, onRequest, onFailure } = watchRequests(origins);
      page.on("request", onRequest).on("requestfailed", onFailure);
      page.on("popup", (popup) => popup.on("request", onRequest).on("requestfailed", onFailure));
      await page.setViewportSize(viewport);
      const errors = watchErrors(page);
      return {
        page,
        foreign,
        errors,
        async close() {
          if (await emptyTab(page, origins[0] as string)) tabs.push(page);
          else await page.close();
        },
      };
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()));
    },
  };
}

/** What tests and visits listen to. */
const WATCHED = [
  "console",
  "dialog",
  "download",
  "framenavigated",
  "pageerror",
  "popup",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
];

/** What a tab cannot forget would still be there in the next visit. */
function onlyForAVisit(page: Page): Page {
  const refuse = () => {
    throw new Error("This stays with the tab: use visit(), which opens a profile of its own.");
  };
  return Object.assign(page, {
    addInitScript: refuse,
    exposeFunction: refuse,
    exposeBinding: refuse,
    emulateMedia: refuse,
  });
}

/**
 * Leaves the page, whose scripts would go on, for one without any of the same site: its process stays.
 * False when the tab can not be used again.
 */
async function emptyTab(page: Page, origin: string): Promise<boolean> {
  for (const event of WATCHED) page.removeAllListeners(event);
  try {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.mouse.move(0, 0);
    await page.goto(`${origin}/robots.txt`);
    await page.evaluate(() => sessionStorage.clear());
    return true;
  } catch {
    return false;
  }
}

/**
 * Watched, not intercepted: interception costs a round trip per request and the HTTP cache. A page
 * whose origin a test plays itself may ask that origin.
 */
function watchRequests(origins: string[]) {
  const foreign: string[] = [];
  return {
    foreign,
    onRequest(request: Request) {
      if (request.isNavigationRequest()) return;
      const { origin, protocol } = new URL(request.url());
      const own = URL.parse(request.frame().url())?.origin;
      if (/^https?:$/.test(protocol) && origin !== own && !origins.includes(origin))
        foreign.push(request.url());
    },
    onFailure(request: Request) {
      const isUnknown = request.failure()?.errorText === "net::ERR_NAME_NOT_RESOLVED";
      if (isUnknown && request.isNavigationRequest()) foreign.push(request.url());
    },
  };
}

function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  return errors;
}

/**
 * Waits until React has hydrated the page: before that a button does nothing, and a link loads a
 * whole page. The body counts too, for a page without any of them.
 *
 * Throws when one of the page's `errors` is React's: it has thrown away what the server rendered.
 */
export async function waitForHydration(page: Page, errors: readonly string[] = []): Promise<void> {
  await page.waitForFunction(() =>
    [document.body, ...document.querySelectorAll("button, a[href]")].every((element) =>
      Object.keys(element).some((key) => key.startsWith("__reactProps")),
    ),
  );
  const problem = errors.find((text) => /React error #|hydrat/i.test(text));
  if (problem !== undefined)
    throw new Error(`${new URL(page.url()).pathname} was not hydrated: ${problem}`);
}
