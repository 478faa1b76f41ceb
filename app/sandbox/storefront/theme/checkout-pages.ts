/** The store's checkout and its thank-you page, where the platform runs web pixels and no theme script. */
import { html, trusted, type Html } from "../../html.ts";
import { findVariant } from "../catalog.ts";
import type { Cart } from "../checkout/carts.ts";
import type { Order } from "../orders.ts";
import { totalOf, type CartLine } from "./cart.ts";
import { pixelHost, type PixelEvent } from "./pixel-host.ts";
import type { StorePage } from "./store-pages.ts";
import { moneyOf, type Visit } from "./visit.ts";

type Checkout = { token: string; cart: Cart; lines: CartLine[]; order: Order | null };

export const checkoutPath = (token: string): string => `/checkouts/cn/${token}`;

/** The token stands in the address of a cart: `https://{shop}/cart/c/{token}?key=...`. */
export const checkoutToken = (cartUrl: string): string =>
  /\/cart\/c\/(\w+)/.exec(cartUrl)?.[1] ?? "";

export function findCheckout({ shop }: Visit, token: string): Checkout | null {
  const cart = Object.values(shop.baskets ?? {}).find(
    ({ url }) => token !== "" && checkoutToken(url) === token,
  );
  if (!cart) return null;
  const lines = cart.lines.flatMap(({ variantGid, quantity }) => {
    const found = findVariant(shop, variantGid);
    return found ? [{ ...found, quantity }] : [];
  });
  return { token, cart, lines, order: (cart.orderGid && shop.orders?.[cart.orderGid]) || null };
}

export function checkoutPage(visit: Visit, checkout: Checkout): StorePage {
  const { t, link } = visit;
  const { token, cart, lines } = checkout;
  const rows = lines.map(
    ({ product, variant, quantity }) =>
      html`<li>
        <span>${quantity} ×</span>
        <div><h2>${product.title}</h2></div>
        <strong>${moneyOf(visit, Number(variant.price) * quantity)}</strong>
      </li>`,
  );
  return {
    title: t.checkout,
    content: html`<section class="page">
        <h1>${t.checkout}</h1>
        <p>${t.email}: ${cart.email}</p>
        <ul class="lines">
          ${rows}
        </ul>
        <p class="sum"><span>${t.total}</span><span>${moneyOf(visit, totalOf(lines))}</span></p>
        <form class="pay" method="post" action="${link(checkoutPath(token))}">
          <button class="button">${t.pay}</button>
          <p class="quiet">${t.checkoutNote}</p>
        </form>
      </section>
      ${host(visit, checkout, {
        shown: ["page_viewed", "checkout_started"],
        submitted: ["checkout_contact_info_submitted", "payment_info_submitted"],
      })}`,
  };
}

export function thanksPage(visit: Visit, checkout: Checkout): StorePage {
  const { t, link } = visit;
  const { order } = checkout;
  return {
    title: t.thanks,
    content: html`<section class="page">
        <h1>${t.thanks}</h1>
        <p>${t.thanksText.replace("{number}", () => order?.name ?? "")}</p>
        <p><a class="button" href="${link("/collections/all")}">${t.goOn}</a></p>
      </section>
      ${host(visit, checkout, { shown: ["page_viewed", "checkout_completed"], submitted: [] })}`,
  };
}

function host(
  visit: Visit,
  checkout: Checkout,
  names: { shown: string[]; submitted: string[] },
): Html {
  const toEvents = (list: string[]) => list.map((name) => toEvent(visit, checkout, name));
  const script = pixelHost(visit.shop, {
    shown: toEvents(names.shown),
    submitted: toEvents(names.submitted),
  });
  return trusted(script ?? "");
}

/** The whole event as the platform publishes it, with personal data: each pixel decides what it uses. */
function toEvent(visit: Visit, checkout: Checkout, name: string): PixelEvent {
  const { shop, path, customer } = visit;
  const { token, cart, lines, order } = checkout;
  const money = (amount: number) => ({ amount, currencyCode: shop.currencyCode });
  const total = money(totalOf(lines));
  return {
    // The same event when the page is loaded again; a page view is a new one each time.
    id: `sh-${name === "page_viewed" ? crypto.randomUUID() : `${token.slice(0, 12)}-${name}`}`,
    name,
    type: "standard",
    clientId: token.slice(0, 16),
    timestamp: new Date().toISOString(),
    context: {
      document: {
        title: "Checkout",
        location: {
          hostname: shop.domain,
          pathname: path,
          search: "?key=secret",
          href: `https://${shop.domain}${path}?key=secret`,
        },
      },
    },
    data:
      name === "page_viewed"
        ? {}
        : {
            checkout: {
              token,
              email: cart.email,
              phone: "+49 30 1234567",
              currencyCode: shop.currencyCode,
              shippingAddress: { firstName: "Ada", address1: "Am Kanal 1", city: "Berlin" },
              subtotalPrice: total,
              totalPrice: total,
              order: order
                ? { id: order.gid, customer: { id: order.customerGid ?? customer?.gid ?? null } }
                : null,
              lineItems: lines.map(({ product, variant, quantity }) => ({
                quantity,
                title: product.title,
                variant: {
                  id: variant.gid,
                  sku: variant.sku,
                  price: money(Number(variant.price)),
                  product: { id: product.gid, title: product.title, vendor: product.vendor },
                },
              })),
            },
          },
  };
}
