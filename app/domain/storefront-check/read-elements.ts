// The elements of a page that load something of others, and its links.
import { readTags, type Attributes } from "../../runtime/text/read-tags.ts";

export type PageElement = {
  name: "script" | "iframe" | "img";
  attributes: Attributes;
  /** The code of a script; empty for other elements. */
  code: string;
  /** It loads only in browsers that run no scripts. */
  isInNoscript: boolean;
};

export type PageElements = {
  elements: PageElement[];
  /** The addresses as the page writes them. */
  links: string[];
  /** What relative addresses are relative to, where the page says so. */
  base: string | null;
};

const READ = new Set(["script", "iframe", "img", "a", "base"]);
const MAX_LINKS = 2_000;
/** Far more than a store's page has, with all its pictures: of short elements 2 MB hold a hundred thousand. */
const MAX_ELEMENTS = 10_000;

/** What was found so far, and what is open at this place of the page. */
type Reading = PageElements & {
  openNoscripts: number;
  openTemplates: number;
  script: { attributes: Attributes; code: string } | null;
};

export function readElements(html: string): PageElements {
  const reading: Reading = {
    elements: [],
    links: [],
    base: null,
    openNoscripts: 0,
    openTemplates: 0,
    script: null,
  };
  readTags(html, {
    withAttributes: READ,
    onOpenTag(name, attributes, isSelfClosing) {
      openTag(reading, name, attributes);
      if (isSelfClosing) endScript(reading);
    },
    onText(text) {
      if (reading.script) reading.script.code += text;
    },
    onCloseTag: (name) => closeTag(reading, name),
  });
  // The page may end within a script.
  endScript(reading);
  const { elements, links, base } = reading;
  return { elements, links, base };
}

function openTag(reading: Reading, name: string, attributes: Attributes): void {
  const href = attributes.get("href");
  if (name === "script") reading.script = { attributes, code: "" };
  else if (name === "iframe" || name === "img") addElement(reading, { name, attributes, code: "" });
  else if (name === "a") addLink(reading, href);
  else if (name === "base") reading.base ??= href ?? null;
  else if (name === "noscript") reading.openNoscripts += 1;
  else if (name === "template") reading.openTemplates += 1;
}

function closeTag(reading: Reading, name: string): void {
  if (name === "script") endScript(reading);
  // A page may close what it never opened.
  else if (name === "noscript") reading.openNoscripts = Math.max(0, reading.openNoscripts - 1);
  else if (name === "template") reading.openTemplates = Math.max(0, reading.openTemplates - 1);
}

function endScript(reading: Reading): void {
  if (reading.script) addElement(reading, { name: "script", ...reading.script });
  reading.script = null;
}

function addElement(reading: Reading, element: Omit<PageElement, "isInNoscript">): void {
  // A template is inert until a script copies it.
  if (reading.openTemplates > 0 || reading.elements.length >= MAX_ELEMENTS) return;
  reading.elements.push({ ...element, isInNoscript: reading.openNoscripts > 0 });
}

function addLink({ links }: Reading, href: string | undefined): void {
  if (href !== undefined && links.length < MAX_LINKS) links.push(href);
}
