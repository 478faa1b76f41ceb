// The pages of a store as a visitor without cookies receives them.
import type { Outbound, OutboundAnswer } from "../../runtime/outbound/outbound.ts";

/** Redirects to the store's own domain, to its primary domain and to a language. */
const MAX_HOPS = 3;
const PAGE_TIMEOUT_MS = 6_000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_CHECKED_BYTES = 2 * 1024 * 1024;
/** Protections against bots refuse callers without a name first. */
const VISITOR = { Accept: "text/html", "User-Agent": "customer-identity-service" };

export type FrontPage = {
  /** The address after all redirects. */
  url: string;
  status: number;
  headers: OutboundAnswer["headers"];
  text: string;
  /** The store shows visitors a page that asks for its password. */
  hasPassword: boolean;
};

/** `isCut`: longer than is read. `leadsTo`: the host of a redirect that was not followed. */
export type StorePage = FrontPage & { isCut: boolean; leadsTo: string | null };

export type StorePages = {
  /**
   * GET / of the store, as a visitor receives it, behind the redirect to its primary domain. Returns
   * any status. Time limit: 6 s for each page.
   */
  frontPage(shop: string): Promise<FrontPage>;
  /**
   * GET a page of the store as a visitor receives it, its front page without `url`. Redirects are
   * followed between `origins` only. Reads 2 MB. Returns any status. Time limit: `timeoutMs` for all
   * of it.
   */
  storePage(
    shop: string,
    options: { url: string | null; origins: readonly string[]; timeoutMs: number },
  ): Promise<StorePage>;
};

type Visit = {
  url: string;
  /** The store chose the address, by a link of its pages. */
  isLinked: boolean;
  call: string;
  headers: Record<string, string>;
  /** The time for the next redirect, in milliseconds. */
  timeoutOf(): number;
  maxAnswerBytes: number;
  mayFollow(next: URL, from: string): boolean;
};

export function createStorePages(
  outbound: Outbound,
  frontOf: (shop: string) => string,
): StorePages {
  /** Fetches a page and follows its redirects. */
  async function visit(
    shop: string,
    { url: start, isLinked, call, headers: sent, timeoutOf, maxAnswerBytes, mayFollow }: Visit,
  ): Promise<StorePage> {
    let url = start;
    for (let hops = 0; ; hops += 1) {
      const { status, headers, text, isCut } = await outbound.send({
        system: "storefront",
        url,
        headers: sent,
        timeoutMs: timeoutOf(),
        maxAnswerBytes,
        // The store chooses where it redirects to.
        isTenantAddress: hops > 0 || isLinked,
        about: { shop, call },
      });
      const isRedirect = status >= 300 && status < 400 && typeof headers.location === "string";
      const next = isRedirect ? URL.parse(headers.location as string, url) : null;
      const hasPassword = next !== null && /\/password\/?$/.test(next.pathname);
      if (next && !hasPassword && hops < MAX_HOPS && mayFollow(next, url)) {
        url = next.href;
        continue;
      }
      const leadsTo = next && !hasPassword ? next.host : null;
      return { url, status, headers, text, hasPassword, isCut: isCut === true, leadsTo };
    }
  }

  return {
    frontPage: (shop) =>
      visit(shop, {
        url: frontOf(shop),
        isLinked: false,
        call: "front page",
        headers: { Accept: "text/html" },
        timeoutOf: () => PAGE_TIMEOUT_MS,
        maxAnswerBytes: MAX_PAGE_BYTES,
        mayFollow: (next, from) => [new URL(from).protocol, "https:"].includes(next.protocol),
      }),
    storePage(shop, { url, origins, timeoutMs }) {
      const startedAt = performance.now();
      return visit(shop, {
        url: url ?? frontOf(shop),
        isLinked: url !== null,
        call: "store page",
        headers: VISITOR,
        timeoutOf: () => Math.max(1, timeoutMs - (performance.now() - startedAt)),
        maxAnswerBytes: MAX_CHECKED_BYTES,
        mayFollow: ({ origin }) => origins.includes(origin),
      });
    },
  };
}
