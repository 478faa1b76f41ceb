/**
 * Renders the blocks of a theme app extension as the platform does, limited to the Liquid they use
 * (shopify.dev "Liquid reference").
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Liquid } from "liquidjs";
import type { TagToken, TopLevelToken } from "liquidjs";
import type { Metafield } from "../state.ts";

export const EXTENSION_HANDLE = "consent-footer";
const FOLDER = fileURLToPath(
  new URL(`../../../../extensions/${EXTENSION_HANDLE}/`, import.meta.url),
);

export type Setting = {
  id?: string;
  type?: string;
  /** Labels are keys of the schema's translations, `t:all.heading`. */
  label?: string;
  info?: string;
  default?: unknown;
  options?: { value: string; label: string }[];
};
type Schema = { name: string; target: string; settings: Setting[] };
export type BlockContext = {
  shop: string;
  locale: string;
  assetUrl: (name: string) => string;
  settings?: Record<string, unknown>;
  /** The metafields of the app's installation in this store. */
  metafields?: Pick<Metafield, "namespace" | "key" | "type" | "value">[];
  /** Whether the theme editor shows the page. */
  isDesignMode?: boolean;
  /** Who is signed in at the store. */
  customerId?: string;
};

/** False in an installation that has only the files the service needs at run time. */
export const hasExtension = (): boolean => existsSync(FOLDER);

export const blockNames = (): string[] =>
  readdirSync(join(FOLDER, "blocks")).map((file) => file.replace(/\.liquid$/, ""));

/** The app embeds of a page's head, in the platform's order. */
export const headEmbeds = (): string[] =>
  ["compliance_head", "head"].flatMap((target) =>
    blockNames().filter((name) => schemaOf(name).target === target),
  );

export function readAsset(name: string): string | null {
  const path = join(FOLDER, "assets", name);
  return /^[a-z0-9-]+\.(js|css|svg)$/.test(name) && existsSync(path)
    ? readFileSync(path, "utf8")
    : null;
}

export function schemaOf(name: string): Schema {
  const [, rest = ""] = readFileSync(join(FOLDER, "blocks", `${name}.liquid`), "utf8").split(
    "{% schema %}",
  );
  const [text = ""] = rest.split("{% endschema %}", 1);
  return JSON.parse(text || "{}") as Schema;
}

export async function renderBlock(
  name: string,
  {
    shop,
    locale,
    assetUrl,
    settings = {},
    metafields = [],
    isDesignMode = false,
    customerId,
  }: BlockContext,
): Promise<string> {
  const engine = new Liquid({
    root: [join(FOLDER, "blocks"), join(FOLDER, "snippets")],
    partials: [join(FOLDER, "snippets")],
    extname: ".liquid",
    strictFilters: true,
  });
  const words = wordsOf(locale);
  engine.registerFilter("t", (key: string) => textAt(words, key));
  engine.registerFilter("asset_url", assetUrl);
  engine.registerTag("schema", {
    parse(tag: TagToken, remaining: TopLevelToken[]) {
      while (remaining.length > 0)
        if ((remaining.shift() as TopLevelToken & { name?: string }).name === "endschema") return;
      throw new Error(`${tag.getText()} is not closed`);
    },
    render: () => "",
  });
  const defaults = Object.fromEntries(
    schemaOf(name).settings.flatMap(({ id, default: value }) =>
      id === undefined || value === undefined ? [] : [[id, value]],
    ),
  );
  // A snippet sees the store's objects, and of its block only the arguments passed to it.
  const globals = {
    app: { metafields: metafieldDrop(metafields) },
    shop: { permanent_domain: shop },
    customer: customerId ? { id: customerId } : null,
    request: { locale: { iso_code: locale }, design_mode: isDesignMode },
  };
  return engine.renderFile(
    name,
    {
      block: { settings: { ...defaults, ...settings }, shopify_attributes: `data-block="${name}"` },
    },
    { globals },
  ) as Promise<string>;
}

/** `metafields.<namespace>.<key>.value`; JSON is parsed. */
function metafieldDrop(metafields: NonNullable<BlockContext["metafields"]>): unknown {
  const drop: Record<string, Record<string, unknown>> = {};
  for (const { namespace, key, type, value } of metafields)
    (drop[namespace] ??= {})[key] = {
      type,
      value: type === "json" ? (JSON.parse(value) as unknown) : value,
    };
  return drop;
}

const textAt = (words: unknown, key: string): string =>
  (key
    .split(".")
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], words) ??
    `translation missing: ${key}`) as string;

/** What the theme editor says of a schema: `t:consent.name`, or the text itself. */
export function schemaText(text: string): string {
  const words = JSON.parse(
    readFileSync(join(FOLDER, "locales/en.default.schema.json"), "utf8"),
  ) as unknown;
  return text.startsWith("t:") ? textAt(words, text.slice(2)) : text;
}

function wordsOf(locale: string): unknown {
  const own = join(FOLDER, "locales", `${locale}.json`);
  return JSON.parse(
    readFileSync(existsSync(own) ? own : join(FOLDER, "locales/en.default.json"), "utf8"),
  );
}
