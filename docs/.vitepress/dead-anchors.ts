// VitePress fails on links to missing pages, but not on links to missing headings.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** The links of a built site whose heading is on no page, as `page: link`. */
export function findDeadAnchors(site: string): string[] {
  const pages = new Map(
    readdirSync(site, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".html"))
      .map((file) => [join(site, file), readFileSync(join(site, file), "utf8")] as const),
  );
  const ids = new Map(
    [...pages].map(([file, html]) => [file, new Set(allOf(html, / id="([^"]+)"/g))] as const),
  );
  return [...pages].flatMap(([file, html]) =>
    allOf(html, / href="([^"]*#[^"]+)"/g)
      .filter((href) => !/^[a-z]+:/i.test(href))
      .filter((href) => {
        const [path = "", anchor = ""] = href.split("#");
        const target = path.startsWith("/") ? join(site, path) : resolve(dirname(file), path);
        return !ids.get(path === "" ? file : target)?.has(decodeURIComponent(anchor));
      })
      .map((href) => `${relative(site, file)}: ${href}`),
  );
}

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found as string);
