// Whether the store's front page lets itself be shown in a frame, behind the banner's preview. Online stores
// of the platform usually refuse (`frame-ancestors 'none'`); storefronts of a merchant's own often do not. The
// service looks at the response's headers only; the page itself loads in the merchant's browser, without scripts.
import type { Ctx } from "../../../context.server.ts";
import type { FrontPage } from "../../../integrations/storefront/store-pages.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenant.ts";
import { storeOrigins } from "./primary-domain.ts";

export type FrontPageFrame =
  | { state: "frameable"; url: string }
  /** `unreachable`: no page, or one of a domain that is not the store's. */
  | { state: "refused" | "password" | "unreachable" };

/** Reads the cache first, then the store. Never rejects. */
export async function findFrontPageFrame(ctx: Ctx, tenant: Tenant): Promise<FrontPageFrame> {
  try {
    const { sql } = dataOf(ctx, tenant);
    const known = await findKey<FrontPageFrame>(sql, KEYS.frontPage);
    if (known) return known.value;
    const found = await askStore(ctx, tenant);
    const { frontPage, unreachableFrontPage } = TTL_SECONDS;
    const seconds = found.state === "unreachable" ? unreachableFrontPage : frontPage;
    await putKey(sql, KEYS.frontPage, found, seconds);
    return found;
  } catch (error) {
    ctx.log.error("front_page.unknown", error, { shop: tenant.shop });
    return { state: "unreachable" };
  }
}

async function askStore(ctx: Ctx, tenant: Tenant): Promise<FrontPageFrame> {
  try {
    const page = await ctx.storefront.frontPage(tenant.shop);
    if (page.hasPassword) return { state: "password" };
    const { origin, username, password } = new URL(page.url);
    const isOfStore = storeOrigins(ctx, tenant).includes(origin);
    if (page.status !== 200 || !isOfStore || username || password) return { state: "unreachable" };
    return refusesFrames(page.headers)
      ? { state: "refused" }
      : { state: "frameable", url: page.url };
  } catch (error) {
    if (error instanceof OutboundError) return { state: "unreachable" };
    throw error;
  }
}

/** The preview's frame has an opaque origin, which no source of `frame-ancestors` names, `*` included. */
export function refusesFrames(headers: FrontPage["headers"]): boolean {
  const valuesOf = (name: string) =>
    [headers[name] ?? []].flat().flatMap((value) => value.toLowerCase().split(/[,;]/));
  return (
    valuesOf("content-security-policy").some((part) => /^\s*frame-ancestors\b/.test(part)) ||
    valuesOf("x-frame-options").some((value) => ["deny", "sameorigin"].includes(value.trim()))
  );
}
