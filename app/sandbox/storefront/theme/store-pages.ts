/** The pages of the demo store below its header. */
import { html, trusted, type Html } from "../../html.ts";
import { catalogOf, collectionsOf, isPublic, type Product } from "../catalog.ts";
import { policyHandle, policiesOf, type ShopPolicy } from "../policies.ts";
import { totalOf, variantNumber } from "./cart.ts";
import { pictureOf } from "./product-pictures.ts";
import { appBlock } from "./store-layout.ts";
import { moneyOf, type Visit } from "./visit.ts";

export type StorePage = { title: string; content: Html };

const productsOf = ({ shop }: Visit): Product[] =>
  Object.values(catalogOf(shop).products).filter(isPublic);

const priceOf = (visit: Visit, { variants }: Product): string =>
  moneyOf(visit, Math.min(...variants.map(({ price }) => Number(price))));

const isSoldOut = ({ variants }: Product): boolean => variants.every(({ stock }) => stock === 0);

const picture = ({ shop }: Visit, { handle }: Product, size: number): Html =>
  html`<img src="${pictureOf(shop.domain, handle)}" alt="" width="${size}" height="${size}" />`;

function productList(visit: Visit, products: readonly Product[], level: 2 | 3 = 3): Html {
  if (products.length === 0) return html`<p>${visit.t.noProducts}</p>`;
  const name = (title: string) =>
    level === 2 ? html`<h2 class="name">${title}</h2>` : html`<h3 class="name">${title}</h3>`;
  return html`<ul class="products">
    ${products.map(
      (product) =>
        html`<li>
          <a href="${visit.link(`/products/${product.handle}`)}"
            ><div class="frame">${picture(visit, product, 400)}</div>
            ${name(product.title)}
            <span class="price">${priceOf(visit, product)}</span
            >${isSoldOut(product) && html` <span class="quiet">${visit.t.soldOut}</span>`}</a
          >
        </li>`,
    )}
  </ul>`;
}

export function homePage(visit: Visit, hasJoined: boolean): StorePage {
  const { shop, t, link } = visit;
  const promise = (title: string, text: string) => html`<li><strong>${title}</strong>${text}</li>`;
  return {
    title: shop.name,
    content: html`<section class="hero">
        <img src="/store/${shop.domain}/pictures/hero.svg" alt="" width="1600" height="720" />
        <div class="wide">
          <h1>${t.heroTitle}</h1>
          <p>${t.heroText}</p>
          <a class="button" href="${link("/collections/all")}">${t.heroButton}</a>
        </div>
      </section>
      <section class="wide band">
        <div class="band-head">
          <h2>${t.bestsellers}</h2>
          <a href="${link("/collections/all")}">${t.viewAll}</a>
        </div>
        ${productList(visit, productsOf(visit).slice(0, 8))}
      </section>
      <section class="promises">
        <ul class="wide">
          ${[
            promise(t.promise1, t.promise1Text),
            promise(t.promise2, t.promise2Text),
            promise(t.promise3, t.promise3Text),
          ]}
        </ul>
      </section>
      <section class="wide band">
        <div class="newsletter">
          <div>
            <h2>${t.newsletter}</h2>
            <p>${t.newsletterText}</p>
            ${hasJoined && html`<p role="status">${t.joined} <a href="/inbox">Inbox</a></p>`}
          </div>
          <form method="post" action="${link("/")}" data-crm-form="newsletter">
            <div class="row">
              <label
                >${t.email}
                <input type="email" name="contact[email]" required autocomplete="email" /></label
              ><button class="button">${t.join}</button>
            </div>
            <label class="tick"
              ><input type="checkbox" name="consent_marketing" /> ${t.offers}</label
            >
          </form>
        </div>
      </section>`,
  };
}

export function collectionPage(visit: Visit, handle: string): StorePage | null {
  const { shop, t } = visit;
  const products = productsOf(visit);
  const isAll = handle === "all";
  if (!isAll && !Object.hasOwn(catalogOf(shop).collections, handle)) return null;
  const title = isAll ? t.all : handle.charAt(0).toUpperCase() + handle.slice(1);
  const shown = isAll
    ? products
    : products.filter(({ gid }) => collectionsOf(shop, gid).some((one) => one.handle === handle));
  return {
    title,
    content: html`<section class="wide band">
      <h1>${title}</h1>
      ${productList(visit, shown, 2)}
    </section>`,
  };
}

export function productPage(visit: Visit, handle: string): StorePage | null {
  const { t, link } = visit;
  const products = productsOf(visit);
  const product = products.find((one) => one.handle === handle);
  if (!product) return null;
  const related = products.filter((one) => one !== product).slice(0, 4);
  const hasChoice = product.variants.length > 1;
  const options = product.variants.map(
    (variant) =>
      html`<option
        value="${variantNumber(variant)}"
        ${trusted(variant.stock === 0 ? " disabled" : "")}
      >
        ${variant.title} ·
        ${moneyOf(visit, Number(variant.price))}${variant.stock === 0 && ` · ${t.soldOut}`}
      </option>`,
  );
  const [first] = product.variants;
  const choice = hasChoice
    ? html`<label
        >${t.variant}<select class="field" name="variant">
          ${options}
        </select></label
      >`
    : html`<input type="hidden" name="variant" value="${first && variantNumber(first)}" />`;
  return {
    title: product.title,
    content: html`<div class="wide">
      <p class="crumbs">
        <a href="${link("/")}">${t.home}</a> / <a href="${link("/collections/all")}">${t.all}</a>
      </p>
      <article class="product">
        ${picture(visit, product, 640)}
        <div>
          ${product.vendor !== "" && html`<p class="quiet">${t.soldBy} ${product.vendor}</p>`}
          <h1>${product.title}</h1>
          <p class="price">${priceOf(visit, product)}</p>
          <p>${product.description}</p>
          <form method="post" action="${link("/cart/add")}">
            ${choice}<label
              >${t.quantity}<input
                type="number"
                name="quantity"
                value="1"
                min="1"
                max="99"
                required /></label
            ><button class="button" ${trusted(isSoldOut(product) ? " disabled" : "")}>
              ${isSoldOut(product) ? t.soldOut : t.addToCart}
            </button>
          </form>
          ${!isSoldOut(product) && html`<p class="quiet">${t.inStock}</p>`}
        </div>
      </article>
      ${
        related.length > 0 &&
        html`<section class="band">
          <h2>${t.related}</h2>
          ${productList(visit, related)}
        </section>`
      }
    </div>`,
  };
}

export function cartPage(visit: Visit): StorePage {
  const { shop, t, cart, link, customer } = visit;
  const form = (variant: string, content: Html) =>
    html`<form method="post" action="${link("/cart/change")}">
      <input type="hidden" name="variant" value="${variant}" />${content}
    </form>`;
  const lines = cart.map(({ product, variant, quantity }) => {
    const number = variantNumber(variant);
    const name = product.variants.length > 1 ? `${product.title}, ${variant.title}` : product.title;
    return html`<li>
      ${picture(visit, product, 80)}
      <div>
        <h2><a href="${link(`/products/${product.handle}`)}">${name}</a></h2>
        ${form(number, html`<input type="number" name="quantity" value="${quantity}" min="0" max="99" required aria-label="${t.quantity}: ${name}" /><button class="small-button" aria-label="${t.update}: ${name}">${t.update}</button>`)}
        ${form(number, html`<button class="plain" name="quantity" value="0" aria-label="${t.remove}: ${name}">${t.remove}</button>`)}
      </div>
      <strong>${moneyOf(visit, Number(variant.price) * quantity)}</strong>
    </li>`;
  });
  const content =
    cart.length === 0
      ? html`<p>${t.cartEmpty}</p>
          <p><a class="button" href="${link("/collections/all")}">${t.heroButton}</a></p>`
      : html`<ul class="lines">
            ${lines}
          </ul>
          <p class="sum"><span>${t.total}</span><span>${moneyOf(visit, totalOf(cart))}</span></p>
          <form class="pay" method="post" action="${link("/checkout")}">
            <label
              >${t.email}<input
                type="email"
                name="email"
                required
                autocomplete="email"
                value="${customer?.email}" /></label
            ><button class="button">${t.checkout}</button>
          </form>`;
  return {
    title: t.cartTitle,
    content: html`<section class="page" data-shop="${shop.domain}">
      <h1>${t.cartTitle}</h1>
      ${content}
    </section>`,
  };
}

/** A page that holds one of the app's blocks. */
export async function blockPage(
  visit: Visit,
  block: "account" | "compliance" | "cookies",
): Promise<StorePage> {
  const { shop, t } = visit;
  const [title, missing] = {
    account: [t.account, t.accountMissing],
    compliance: [t.privacy, t.privacyMissing],
    cookies: [t.cookies, t.cookiesMissing],
  }[block] as [string, string];
  const shown = await appBlock(visit, block);
  const content =
    shown ??
    html`<p>${missing}</p>
      <p>
        <a href="/storefront/${shop.domain}/admin/themes/current/editor?preview=${block}"
          >${t.openEditor}</a
        >
      </p>`;
  return {
    title,
    content: html`<section class="page">
      <h1>${title}</h1>
      <div class="panel block">${content}</div>
    </section>`,
  };
}

export function policyPage({ shop, t, locale }: Visit, handle: string): StorePage | null {
  const policy = policiesOf(shop).find(({ type }) => policyHandle(type) === handle);
  if (!policy) return null;
  const title = t[policy.type];
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "long" }).format(
    new Date(policy.updatedAt),
  );
  return {
    title,
    content: html`<section class="page">
      <h1>${title}</h1>
      ${
        policy.body === ""
          ? html`<p>${t.unwritten}</p>`
          : html`<p class="quiet">${t.updatedAt.replace("{date}", date)}</p>
              <div class="panel">${toSafeMarkup(policy)}</div>`
      }
    </section>`,
  };
}

export function missingPage({ t, link }: Visit): StorePage {
  return {
    title: t.notFound,
    content: html`<section class="page">
      <h1>${t.notFound}</h1>
      <p>${t.notFoundText}</p>
      <p><a class="button" href="${link("/")}">${t.home}</a></p>
    </section>`,
  };
}

/** The merchant writes HTML: headings, paragraphs and lists remain, without attributes. */
const toSafeMarkup = ({ body }: ShopPolicy): Html =>
  trusted(
    html`${body}`.text.replace(
      /&#60;(\/?(?:h2|h3|p|ul|ol|li|strong|em|b|i|br))&#62;/g,
      (_, tag: string) => `<${tag}>`,
    ),
  );
