// The HTML document around an embed: a complete page whose root element the theme's script can move
// into its own page.
import { escapeHtml } from "./escaping.ts";
import { ROOT_MARK } from "./theme.ts";
import { embedAddress, type PublicConfig } from "./public-config.ts";

export type EmbedParts = {
  title: string;
  style: string;
  /** The content of the root element. */
  body: string;
  scripts: readonly string[];
  /** The language of the page. */
  lang: string;
  /** The class of the document around the root element, which a theme that takes the root leaves behind. */
  bodyClass?: string;
};

export function embedDocument(
  config: PublicConfig,
  { title, style, body, scripts, lang, bodyClass }: EmbedParts,
): string {
  const inline = scripts.map((script) => `<script>${script}</script>`).join("");
  // The loader is outside the root: a page that embeds the root has loaded it already.
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)} - ${escapeHtml(config.brand)}</title><script src="${escapeHtml(embedAddress(config, "/embed/stack-loader.js"))}"></script></head><body${bodyClass ? ` class="${bodyClass}"` : ""}><main><div ${ROOT_MARK} lang="${lang}"><style>${style}</style>${body}${inline}</div></main></body></html>`;
}
