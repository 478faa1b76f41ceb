// The documentation as a site: `npm run docs:dev` while writing, `npm run docs:build` in CI. Everything is built from the
// Markdown of this folder and needs no network.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitepress";
import { findDeadAnchors } from "./dead-anchors.ts";

const docs = resolve(import.meta.dirname, "..");

const decisions = readdirSync(join(docs, "decisions"))
  .filter((file) => /^\d+-.*\.md$/.test(file))
  .sort()
  .map((file) => {
    const [title = file] = readFileSync(join(docs, "decisions", file), "utf8").split("\n", 1);
    return { text: title.replace(/^# /, ""), link: `/decisions/${file.replace(/\.md$/, "")}` };
  });

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: "Customer identity, consent and sync",
  description: "One customer identity and one consent record for a Shopify store",
  lang: "en",
  cleanUrls: false,
  // A link of the tour leads to a service on the reader's own machine.
  ignoreDeadLinks: [/^https?:\/\/(127\.0\.0\.1|localhost)/],
  themeConfig: {
    siteTitle: "Customer identity",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Tour", "/tour"),
      page("API", "/api"),
      page("Operations", "/operators"),
      page("Decisions", "/decisions/"),
    ],
    sidebar: [
      { text: "Start", items: [page("What it is", "/"), page("Tour", "/tour")] },
      {
        text: "For",
        items: [
          page("Merchants", "/merchants"),
          page("Theme editors", "/theme-editors"),
          page("Shoppers", "/shoppers"),
          page("Agent developers", "/agents"),
          page("Operators", "/operators"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("API", "/api"),
          page("Configuration", "/configuration"),
          page("Architecture", "/architecture"),
          page("Security", "/security"),
          page("Data sheet", "/data-sheet"),
          page("Running on Shopify", "/shopify"),
          page("Deploying in containers", "/deployment"),
          page("Operating the event bus", "/operations"),
          page("Scaling", "/scaling"),
          page("Performance", "/performance"),
          page("App Store listing", "/listing/README"),
          page("Notes for the reviewer", "/listing/review"),
        ],
      },
      { text: "Decisions", collapsed: true, items: [page("All", "/decisions/"), ...decisions] },
    ],
  },
  markdown: { config: (markdown) => void markdown.use(nameFilesOutside).use(keepBraces) },
  async buildEnd({ outDir }) {
    const dead = findDeadAnchors(outDir);
    if (dead.length > 0)
      throw new Error(`Links to headings that do not exist:\n${dead.join("\n")}`);
  },
});

/** Braces are text: the pages contain no expressions that VitePress would have to evaluate. */
function keepBraces(markdown: MarkdownIt): void {
  markdown.core.ruler.push("keep_braces", ({ tokens }) => {
    for (const child of tokens.flatMap((token) => token.children ?? [])) {
      if (child.type === "code_inline") child.attrSet("v-pre", "");
      if (child.type !== "text" || !child.content.includes("{{")) continue;
      child.type = "html_inline";
      child.content = markdown.utils.escapeHtml(child.content).replaceAll("{", "&#123;");
    }
  });
}

/**
 * Links to files outside this folder (code, tests, CONTRIBUTING) work in the repository; the site has no such pages, so it
 * shows their text. A file that does not exist fails the build.
 */
function nameFilesOutside(markdown: MarkdownIt): void {
  markdown.core.ruler.push("name_files_outside", ({ tokens, env }) => {
    for (const token of tokens) {
      const links: (Token | null)[] = [];
      for (const child of token.children ?? []) {
        if (child.type === "link_open") links.push(isOutside(child, env) ? child : null);
        const open = child.type === "link_close" ? links.pop() : links.at(-1);
        if (open && (child === open || child.type === "link_close")) {
          child.tag = "span";
          child.attrs = [];
        }
      }
    }
  });
}

function isOutside(link: Token, { path = "" }: { path?: string }): boolean {
  const target = decodeURI(link.attrGet("href") ?? "").replace(/[#?].*$/, "");
  if (target === "" || /^([a-z]+:|\/)/i.test(target)) return false;
  const file = resolve(dirname(path), target);
  if (!relative(docs, file).startsWith("..")) return false;
  if (!existsSync(file))
    throw new Error(`${relative(docs, path)} links to ${target}, which does not exist`);
  return true;
}
type MarkdownIt = Parameters<
  NonNullable<NonNullable<Parameters<typeof defineConfig>[0]["markdown"]>["config"]>
>[0];
type Token = ReturnType<MarkdownIt["parse"]>[number];
