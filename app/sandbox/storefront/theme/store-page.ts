/**
 * The sandbox store as a shopper sees it: a theme with the app's blocks where the merchant put them, and
 * beside it the data layer and the calls of the storefront's privacy API. Everything stands below
 * /store/{shop}; the forms of newsletter, cart and checkout post there.
 */
import { fieldsOf, redirect, text, textOf } from "../../exchange.ts";
import type { Call, ApiResponse } from "../../exchange.ts";
import { isSameSiteOrProgram } from "../../loopback-guard.ts";
import type { Sandbox } from "../../sandbox.ts";
import { openCheckout } from "../checkout/carts.ts";
import { cartCookie, withVariant } from "./cart.ts";
import {
  checkoutPage,
  checkoutPath,
  checkoutToken,
  findCheckout,
  thanksPage,
} from "./checkout-pages.ts";
import { keepOut } from "../visitors/visitor-access.ts";
import { readPartnerFile } from "./partner-files.ts";
import { readHostScript } from "./pixel-host.ts";
import { readPicture } from "./product-pictures.ts";
import { storeDocument } from "./store-layout.ts";
import {
  blockPage,
  cartPage,
  collectionPage,
  homePage,
  missingPage,
  policyPage,
  productPage,
  type StorePage,
} from "./store-pages.ts";
import { hasExtension, readAsset } from "./theme-blocks.ts";
import { readVisit, visitCookie, type Visit } from "./visit.ts";

/**
 * Nothing leaves this machine: the analytics tag is requested, and blocked here. The theme editor frames
 * its preview; no site may frame anything else, as at the platform.
 */
const policyOf = (appUrl: string, { preview, shop }: Visit) =>
  `default-src 'self' 'unsafe-inline' data: ${new URL(appUrl).origin}; ${shop.isFrameable ? "" : `frame-ancestors ${preview === null ? "'none'" : "'self'"}; `}base-uri 'none'`;

/** The policy of the frame that the pixel runs in: its origin is opaque, so that `'self'` would match nothing. */
const pixelPolicyOf = ({ url, appUrl }: Sandbox) =>
  `default-src 'none'; script-src 'unsafe-inline' blob: ${url}; connect-src ${new URL(appUrl()).origin}; frame-ancestors ${url}`;

export async function answerStore(sandbox: Sandbox, call: Call): Promise<ApiResponse> {
  const [, , domain = "", folder, file = ""] = call.path.split("/");
  if (!sandbox.storefront.shops().includes(domain) || !hasExtension())
    return text(404, "There is no store here");
  if (folder === "assets") return serveFile(file, readAsset(file));
  if (folder === "pixel") return serveFile(file, readHostScript(file), pixelPolicyOf(sandbox));
  if (folder === "partners") return serveFile(file, readPartnerFile(file));
  if (folder === "pictures") return serveFile(file, readPicture(file));
  const path = call.path.slice(`/store/${domain}`.length).replace(/\/$/, "") || "/";
  const visit = readVisit(sandbox.storefront.ensureShop(domain), path, call);
  if (call.method === "POST")
    return isSameSiteOrProgram(call.headers)
      ? takeForm(sandbox, call, visit)
      : text(403, "Only the store's own pages may post here");
  // Staff see their own store in the theme editor.
  const kept = visit.preview === null ? await keepOut(visit.shop) : null;
  if (kept) return kept;
  const page = await pageAt(visit, call);
  return {
    status: page ? 200 : 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policyOf(sandbox.appUrl(), visit),
      ...(visit.preview === null && !visit.shop.isFrameable && { "x-frame-options": "DENY" }),
      "referrer-policy": "same-origin",
      "set-cookie": visitCookie(visit),
    },
    body: await render(visit, page ?? missingPage(visit)),
  };
}

const render = (visit: Visit, { title, content }: StorePage): Promise<string> =>
  storeDocument(visit, title, content);

function pageAt(visit: Visit, call: Call): StorePage | null | Promise<StorePage | null> {
  const [, folder = "", name = "", ...rest] = visit.path.split("/");
  if (folder === "checkouts") return showCheckout(visit, rest);
  if (rest.length > 0) return null;
  switch (folder) {
    case "":
      return homePage(visit, call.query.has("joined"));
    case "collections":
      return collectionPage(visit, name || "all");
    case "products":
      return productPage(visit, name);
    case "policies":
      return policyPage(visit, name);
    case "cart":
      return name === "" ? cartPage(visit) : null;
    case "pages":
      if (name === "account") return blockPage(visit, "account");
      if (name === "cookies") return blockPage(visit, "cookies");
      return name === "privacy" ? blockPage(visit, "compliance") : null;
    default:
      return null;
  }
}

/** `/checkouts/cn/{token}`, and `/thank-you` below it once it is paid. */
function showCheckout(visit: Visit, [token = "", step]: string[]): StorePage | null {
  const checkout = findCheckout(visit, token);
  if (!checkout) return null;
  if (step === undefined) return checkoutPage(visit, checkout);
  return step === "thank-you" && checkout.order ? thanksPage(visit, checkout) : null;
}

async function takeForm(sandbox: Sandbox, call: Call, visit: Visit): Promise<ApiResponse> {
  const { shop, path, cart, link, customer } = visit;
  const fields = fieldsOf(call.body);
  if (path === "/cart/add" || path === "/cart/change") {
    const changed = withVariant(shop, cart, {
      number: textOf(fields["variant"]),
      quantity: Number(textOf(fields["quantity"])),
      isMore: path === "/cart/add",
    });
    return {
      status: 303,
      headers: { location: link("/cart"), "set-cookie": cartCookie(shop, changed) },
    };
  }
  if (path === "/checkout") {
    if (cart.length === 0) return redirect(link("/cart"), 303);
    const url = openCheckout(shop, {
      lines: cart.map(({ variant, quantity }) => ({ variantGid: variant.gid, quantity })),
      email: textOf(fields["email"]).slice(0, 254) || null,
      customerGid: customer?.gid ?? null,
    });
    return redirect(link(checkoutPath(checkoutToken(url))), 303);
  }
  const checkout = findCheckout(visit, /^\/checkouts\/cn\/(\w+)$/.exec(path)?.[1] ?? "");
  if (checkout) {
    if (!checkout.order) await sandbox.storefront.pay(shop.domain, checkout.cart.url);
    return {
      status: 303,
      headers: {
        location: link(`${checkoutPath(checkout.token)}/thank-you`),
        "set-cookie": cartCookie(shop, []),
      },
    };
  }
  if (path === "/") return redirect(link("/", { joined: "1" }), 303);
  return text(404, "No such form");
}

function serveFile(name: string, content: string | null, policy?: string): ApiResponse {
  if (content === null) return text(404, "No such asset");
  const types: Record<string, string> = {
    js: "text/javascript; charset=utf-8",
    svg: "image/svg+xml",
    css: "text/css; charset=utf-8",
    html: "text/html; charset=utf-8",
  };
  return {
    status: 200,
    headers: {
      "content-type": types[name.split(".").pop() ?? ""] ?? "text/plain",
      "cache-control": "no-store",
      ...(policy && { "content-security-policy": policy }),
      // A drawing that is opened as a page runs nothing.
      ...(name.endsWith(".svg") && {
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      }),
    },
    body: content,
  };
}
