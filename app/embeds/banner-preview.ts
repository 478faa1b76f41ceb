// The banner as the editor shows it: the markup and style that shoppers get, on a page that stands for the
// store's. It runs no script; what the scripts would show is shown already.
import type { BannerDesign } from "../domain/tenants/banner/banner-design.ts";
import type { BannerLanguage } from "../domain/tenants/banner/banner-texts.ts";
import { toBannerValues, toSpokenTexts } from "../domain/tenants/banner/banner-values.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { escapeHtml } from "./escaping.ts";
import { ROOT_MARK } from "./theme.ts";
import { footerStyle, renderFooterBody, type BannerLook } from "./footer.ts";
import { toPublicConfig, type PublicConfig } from "./public-config.ts";

export const PREVIEW_VIEWS = ["banner", "preferences"] as const;
type PreviewView = (typeof PREVIEW_VIEWS)[number];

/** What stands behind the banner: a drawn page, or nothing, so that the store's own page shows through. */
export const PREVIEW_PAGES = ["neutral", "store"] as const;

const PAGE_STYLE = `html{color-scheme:SCHEME}body{margin:0;font:1rem/1.5 system-ui,sans-serif}.page{padding:1rem;max-width:60rem;margin:auto}.page i{display:block;background:#8884;border-radius:.5rem;height:1rem;margin:0 0 .75rem}.page .head{height:3rem}.page .hero{height:14rem}.veil{position:fixed;inset:0;background:#0009}.crm-banner[open],.crm-dialog[open]{position:fixed;z-index:2147483000}.crm-dialog[open]{inset:0;margin:auto;height:fit-content;max-height:90vh;overflow:auto}`;
const NEUTRAL_PAGE = `<div class="page" aria-hidden="true"><i class="head"></i><i class="hero"></i>${"<i></i>".repeat(8)}</div>`;

type PreviewOptions = {
  scheme: "light" | "dark";
  view: PreviewView;
  page: (typeof PREVIEW_PAGES)[number];
  language: BannerLanguage;
};

/** `design`: in one color scheme, which need not be that of the reader's system. */
export function previewDesign(
  tenant: Tenant,
  design: BannerDesign,
  serviceUrl: string,
  { language, ...options }: PreviewOptions,
): string {
  const scheme = design.scheme === "auto" ? options.scheme : design.scheme;
  // The first version: its colours are those of a store without a banner of its own.
  const shown = { version: 1, design: { ...design, scheme } };
  const look = {
    values: toBannerValues(tenant, shown),
    texts: toSpokenTexts(tenant, shown, language),
  };
  return renderPreview(toPublicConfig(tenant, { serviceUrl }), look, options);
}

function renderPreview(
  config: PublicConfig,
  look: BannerLook,
  { scheme, view, page }: Omit<PreviewOptions, "language">,
): string {
  const isOverStore = page === "store";
  // A frame shows what lies below it only where its document has the scheme of the page around it.
  const style = isOverStore
    ? PAGE_STYLE.replace("SCHEME", "light") + "nav.crm-links{display:none}"
    : PAGE_STYLE.replace("SCHEME", scheme);
  const isModal = view === "preferences" || look.values.template === "centre";
  const body = show(renderFooterBody(config, look), view);
  return `<!doctype html><html lang="${look.texts.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src https: http:; base-uri 'none'; form-action 'none'"><title>${view}</title><style>${style}</style></head><body inert>${isOverStore ? "" : NEUTRAL_PAGE}${isModal ? '<div class="veil"></div>' : ""}<div ${ROOT_MARK} lang="${look.texts.lang}"><style>${footerStyle(look.values)}</style>${body}</div></body></html>`;
}

/** Texts hold no markup: each of these tags stands once. */
function show(body: string, view: PreviewView): string {
  if (view === "preferences")
    return body.replace('<dialog class="crm crm-auto', '<dialog open class="crm crm-auto');
  return body.replace(/^<dialog /, "<dialog open ").replace(/^(<[^>]*) hidden>/, "$1>");
}

/**
 * The store's front page as a document of its own, which lies below the preview: of all pages it may frame the
 * store's only. Its frame is sandboxed, and so is the store's page in it: no script of it runs, so that it
 * counts no visit, shows no banner, and leads nowhere.
 */
export const renderStorePage = (url: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; frame-src ${escapeHtml(new URL(url).origin)}; base-uri 'none'; form-action 'none'"><title>store</title><style>html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0;overflow:hidden;background:#fff}</style></head><body inert><iframe src="${escapeHtml(url)}" title="store" tabindex="-1" referrerpolicy="no-referrer" scrolling="no"></iframe></body></html>`;
