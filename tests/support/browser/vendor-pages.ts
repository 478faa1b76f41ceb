// A store's page with scripts of known vendors, and their hosts, which note what reaches them.
import type { openBrowser } from "./browser.ts";
import { chooseOn, lastRan, ran, runsOn } from "./script-runs.ts";
import { openStore, type StoreOptions, type StoreVisit } from "./store-visit.ts";
import { toBlockerValues } from "../../../app/domain/tenants/storefront/blocker-values.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import type { ScriptBlocking } from "../../../app/domain/vendors/script-blocking.ts";
import { SHOP, type Service } from "../service.ts";

export const META = "https://connect.facebook.net/en_US";
export const HOTJAR = "https://static.hotjar.com/c";
export const TIKTOK = "https://analytics.tiktok.com";
export const JUDGE_ME = "https://cdn.judge.me";
export const OTHER = "https://unknown.example";
const HOSTS = [
  META,
  META.replace(".net/", ".net./"),
  HOTJAR,
  TIKTOK,
  JUDGE_ME,
  OTHER,
  "https://www.youtube.com",
];

type Options = StoreOptions & { blocking?: Partial<ScriptBlocking> | null; tag?: string };
export type VendorVisit = StoreVisit & {
  /** What reached the vendors: host and path without its folder, in order. */
  asked: string[];
  /** The names of the scripts that ran, in order. */
  runs(): Promise<string[]>;
  choose(flags: Record<string, boolean>): Promise<void>;
  /** Resolves when everything that is allowed has run: the last script of the page did. */
  done(): Promise<void>;
};

/** As a store that is connected: with the loader's values and what is held back in its metafields. */
export async function openVendorStore(
  browser: Awaited<ReturnType<typeof openBrowser>>,
  service: Service,
  { blocking = {}, tag = "", ...options }: Options,
): Promise<VendorVisit> {
  const { config } = await getTenant(service.ctx, SHOP);
  const script_blocking = { enabled: true, run: [], block: [], ...blocking };
  const held = toBlockerValues({
    ...config,
    script_blocking,
    ...(tag && { analytics_measurement_id: tag }),
  });
  const loader = [SHOP, service.url, true, tag, "2026-11"];
  const field = (key: string, value: unknown) => ({
    namespace: "crm",
    key,
    type: "json",
    value: JSON.stringify(value),
  });
  const visit = await openStore(browser, service, {
    metafields: [field("loader", loader), ...(blocking === null ? [] : [field("held", held)])],
    ...options,
  });
  const asked: string[] = [];
  for (const host of HOSTS)
    await visit.page.route(`${host}/**`, (route) => {
      const { hostname, pathname } = new URL(route.request().url());
      const name = pathname.split("/").at(-1) ?? "";
      asked.push(`${hostname.replace(/\.$/, "").split(".").at(-2)}/${name}`);
      if (name.endsWith(".js"))
        return route.fulfill({
          contentType: "text/javascript",
          headers: { "Access-Control-Allow-Origin": "*" },
          body: ran(name),
        });
      return name.endsWith(".gif")
        ? route.fulfill({ contentType: "image/gif", body: Buffer.from(GIF, "base64") })
        : route.fulfill({
            contentType: "text/html",
            body: "<!doctype html><title>A frame</title>",
          });
    });
  return {
    ...visit,
    asked,
    runs: () => runsOn(visit.page),
    choose: (flags) => chooseOn(visit.page, flags),
    done: () => lastRan(visit.page),
  };
}

const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
