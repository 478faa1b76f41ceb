// Fetches a few of the store's own public pages: its front page and the first product, collection and
// cart that it links to. Each as a visitor without cookies receives it.
import type { Ctx } from "../../context.server.ts";
import type { StorePage } from "../../integrations/storefront/store-pages.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { storeOrigins } from "../tenants/storefront/primary-domain.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { CheckedPage } from "./page-scripts.ts";
import { readElements } from "./read-elements.ts";

type PageName = "home" | "product" | "collection" | "cart";

/**
 * Why the front page could not be read. `refused`: the store keeps programs out. `elsewhere`: it
 * redirects to a host that is not the store's.
 */
export type CheckProblem = "password" | "refused" | "unreachable" | "no_page" | "elsewhere";

export type PageState = {
  name: PageName;
  /** Of its address, without the query. */
  path: string;
  /** `failed`: it was not read. `cut`: only its beginning was. */
  state: "read" | "cut" | "failed";
};

export type ReadPages =
  | { problem: null; pages: PageState[]; read: CheckedPage[] }
  | { problem: CheckProblem; status: number | null; host: string | null };

/** The limits of time for all pages together and for each one. */
const DEADLINE_MS = 20_000;
const PAGE_TIMEOUT_MS = 8_000;
const MAX_PATH_LENGTH = 200;
/** The platform's answers to programs: 430 is its own "security rejection". */
const REFUSALS = [401, 403, 429, 430];

/** Below the store's languages too: `/fr/products/mug`. */
const PATHS: Record<Exclude<PageName, "home">, RegExp> = {
  product: /\/products\/[^/]+\/?$/,
  collection: /\/collections\/[^/]+\/?$/,
  cart: /\/cart\/?$/,
};

/** `report` gets the number of pages that are done, and of all that are known so far. */
export async function readPages(
  ctx: Ctx,
  tenant: Tenant,
  report: (done: number, of: number) => Promise<void>,
): Promise<ReadPages> {
  const origins = storeOrigins(ctx, tenant);
  const endsAt = performance.now() + DEADLINE_MS;
  const visit = (url: string | null) =>
    ctx.storefront.storePage(tenant.shop, {
      url,
      origins,
      timeoutMs: Math.max(1, Math.min(PAGE_TIMEOUT_MS, endsAt - performance.now())),
    });
  const front = await visitOrNull(() => visit(null));
  if (!front) return { problem: "unreachable", status: null, host: null };
  const problem = problemOf(front, origins);
  if (problem) return { problem, status: front.status, host: front.leadsTo };
  const home = { name: "home" as const, url: front.url };
  const next = pagesLinkedFrom(front, origins);
  const pages = [toState(home, front)];
  const read: CheckedPage[] = [{ ...home, html: front.text }];
  for (const linked of next) {
    await report(pages.length, next.length + 1);
    const page = await visitOrNull(() => visit(linked.url));
    const isRead = page !== null && problemOf(page, origins) === null;
    pages.push(toState(linked, isRead ? page : null));
    if (isRead) read.push({ name: linked.name, url: page.url, html: page.text });
  }
  return { problem: null, pages, read };
}

async function visitOrNull(visit: () => Promise<StorePage>): Promise<StorePage | null> {
  try {
    return await visit();
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}

function problemOf(page: StorePage, origins: readonly string[]): CheckProblem | null {
  if (page.hasPassword) return "password";
  if (REFUSALS.includes(page.status)) return "refused";
  const { leadsTo } = page;
  if (leadsTo !== null && !origins.some((origin) => new URL(origin).host === leadsTo))
    return "elsewhere";
  return page.status === 200 && isHtml(page) ? null : "no_page";
}

/** Compressed although nobody asked for it, or in UTF-16, it is no text here. */
function isHtml({ headers }: StorePage): boolean {
  const [type, encoding] = ["content-type", "content-encoding"].map((name) =>
    [headers[name] ?? ""].flat().join().toLowerCase(),
  );
  return (
    /^\s*(text\/html|application\/xhtml\+xml)/.test(type ?? "") &&
    !/charset\s*=\s*"?utf-?(16|32)/.test(type ?? "") &&
    ["", "identity"].includes(encoding ?? "")
  );
}

function pagesLinkedFrom({ url, text }: StorePage, origins: readonly string[]) {
  const { links, base } = readElements(text);
  const start = (base !== null && URL.parse(base, url)?.href) || url;
  const own = links.flatMap((link) => {
    const linked = URL.parse(link, start);
    return linked && origins.includes(linked.origin) && !linked.username && !linked.password
      ? [linked]
      : [];
  });
  return Object.entries(PATHS).flatMap(([name, path]) => {
    const first = own.find(({ pathname }) => path.test(pathname));
    if (!first) return [];
    first.hash = "";
    return [{ name: name as PageName, url: first.href }];
  });
}

function toState(page: { name: PageName; url: string }, read: StorePage | null): PageState {
  return {
    name: page.name,
    path: (URL.parse(page.url)?.pathname ?? "/").slice(0, MAX_PATH_LENGTH),
    state: !read ? "failed" : read.isCut ? "cut" : "read",
  };
}
