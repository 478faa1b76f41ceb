// The elements of a page that load something of others, and its links. The tokenizer reads the text
// once: a parser's stack of open elements takes time that grows with the square of a hostile page.
import { Tokenizer } from "htmlparser2";

type Attributes = ReadonlyMap<string, string>;

export type PageElement = {
  name: "script" | "iframe" | "img";
  attributes: Attributes;
  /** Of a script; empty for the others. */
  code: string;
  /** It loads only in browsers that run no scripts. */
  isInNoscript: boolean;
};

export type PageElements = {
  elements: PageElement[];
  /** As they are written. */
  links: string[];
  /** What relative addresses are relative to, where the page says so. */
  base: string | null;
};

const READ = new Set(["script", "iframe", "img", "a", "base"]);
const MAX_LINKS = 2_000;
/** Far more than a store's page has, with all its pictures: of short elements 2 MB hold a hundred thousand. */
const MAX_ELEMENTS = 10_000;

export function readElements(html: string): PageElements {
  const elements: PageElement[] = [];
  const links: string[] = [];
  let base: string | null = null;
  /** How many of them are open. */
  const open = { noscript: 0, template: 0 };

  let tag = "";
  let attributes = new Map<string, string>();
  let attribute = "";
  let value = "";
  let script: { attributes: Attributes; code: string } | null = null;

  const add = (name: PageElement["name"], of: Attributes, code = "") => {
    // A template is inert until a script copies it.
    if (open.template === 0 && elements.length < MAX_ELEMENTS)
      elements.push({ name, attributes: of, code, isInNoscript: open.noscript > 0 });
  };
  const endScript = () => {
    if (script) add("script", script.attributes, script.code);
    script = null;
  };
  const endOpenTag = () => {
    const href = attributes.get("href");
    if (tag === "script") script = { attributes, code: "" };
    else if (tag === "iframe" || tag === "img") add(tag, attributes);
    else if (tag === "a" && href !== undefined && links.length < MAX_LINKS) links.push(href);
    else if (tag === "base") base ??= href ?? null;
    else if (tag === "noscript" || tag === "template") open[tag] += 1;
  };

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = READ.has(tag) ? html.slice(start, end).toLowerCase() : "";
        value = "";
      },
      onattribdata(start, end) {
        if (attribute) value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute) value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        // The first of two attributes of one name counts.
        if (attribute && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: endOpenTag,
      onselfclosingtag() {
        endOpenTag();
        endScript();
      },
      ontext(start, end) {
        if (script) script.code += html.slice(start, end);
      },
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase();
        if (name === "script") endScript();
        else if (name === "noscript" || name === "template")
          open[name] = Math.max(0, open[name] - 1);
      },
      onend: endScript,
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      ontextentity() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { elements, links, base };
}
