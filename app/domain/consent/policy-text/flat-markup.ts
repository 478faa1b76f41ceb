// A policy's HTML, reduced to the little that is read of it: paragraphs, lines and lists. Stores write
// any HTML, and converting tables or deep nesting takes time that grows with the square of the text.
// What this returns is flat but for lists, has no attributes of the store, and every other "<" of it is
// escaped.
import { readShownTags, type Attributes } from "../../../runtime/text/read-tags.ts";

const PARAGRAPHS = new Set(
  "address article aside blockquote caption dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav p pre section table tr".split(
    " ",
  ),
);
/** A cell is a line: side by side, long cells are unreadable on a narrow screen. */
const LINES = new Set("dd div dt figcaption li td th".split(" "));

const LIST_TYPE = /^[1aAiI]$/;
const LIST_START = /^\d{1,3}$/;

/** Every level indents each line below it. */
const MAX_LISTS = 8;
/** A long policy has some hundred. */
const MAX_TAGS = 20_000;

type ListTag = "ul" | "ol" | "li";

/** The markup as far as it is written. */
type FlatMarkup = {
  written: string[];
  /** The open lists and their items, outermost first. */
  open: ListTag[];
  /** True until the first text, and again from each tag of a list to the next text. */
  isLineEmpty: boolean;
  /** Line breaks before the next text; none while the line is empty. */
  breaks: number;
};

/** Null when it has more tags than any policy. */
export function flattenMarkup(html: string): string | null {
  const flat: FlatMarkup = { written: [], open: [], isLineEmpty: true, breaks: 0 };
  const isWhole = readShownTags(html, {
    withAttributes: new Set(["ol"]),
    maxTags: MAX_TAGS,
    decodesTexts: false,
    onOpenTag: (name, attributes) => addTag(flat, name, attributes),
    onText: (text) => addText(flat, text),
    onCloseTag: (name) => addTag(flat, name, "closing"),
  });
  return isWhole ? flat.written.join("") : null;
}

function addText(flat: FlatMarkup, text: string): void {
  if (text.trim() !== "") {
    flat.written.push("<br>".repeat(flat.breaks));
    flat.breaks = 0;
    flat.isLineEmpty = false;
  }
  flat.written.push(text.replaceAll("<", "&lt;"));
}

function addTag(flat: FlatMarkup, name: string, attributes: Attributes | "closing"): void {
  if (name === "br") breakLine(flat, flat.breaks + 1);
  else if (name === "ul" || name === "ol") addList(flat, name, attributes);
  else if (name === "li" && flat.open.length > 0) addItem(flat, attributes === "closing");
  else if (PARAGRAPHS.has(name)) breakLine(flat, 2);
  else if (LINES.has(name)) breakLine(flat, Math.max(1, flat.breaks));
}

function breakLine(flat: FlatMarkup, breaks: number): void {
  if (!flat.isLineEmpty) flat.breaks = Math.min(2, breaks);
}

function addList(flat: FlatMarkup, name: "ul" | "ol", attributes: Attributes | "closing"): void {
  if (attributes === "closing") return closeList(flat, name);
  const depth = flat.open.filter((one) => one !== "li").length;
  if (depth < MAX_LISTS) openElement(flat, name, `<${name}${numbering(attributes)}>`);
}

/** Closes what is open in the list too. */
function closeList(flat: FlatMarkup, name: "ul" | "ol"): void {
  if (!flat.open.includes(name)) return;
  while (flat.open.at(-1) !== name) closeInnermost(flat);
  closeInnermost(flat);
}

function addItem(flat: FlatMarkup, isClosing: boolean): void {
  if (flat.open.at(-1) === "li") closeInnermost(flat);
  if (!isClosing) openElement(flat, "li", "<li>");
}

function openElement(flat: FlatMarkup, name: ListTag, tag: string): void {
  // The end of a paragraph also separates it from a list; nested lists are close together.
  if (flat.open.length === 0 && flat.breaks > 0) flat.written.push("<br>");
  flat.open.push(name);
  writeListTag(flat, tag);
}

const closeInnermost = (flat: FlatMarkup): void => writeListTag(flat, `</${flat.open.pop()}>`);

/** A list breaks the line by itself. */
function writeListTag(flat: FlatMarkup, tag: string): void {
  flat.written.push(tag);
  flat.breaks = 0;
  flat.isLineEmpty = true;
}

/** The letters and numbers of a list that others refer to. */
function numbering(attributes: Attributes): string {
  const [type = "", start = ""] = [attributes.get("type"), attributes.get("start")];
  return `${LIST_TYPE.test(type) ? ` type="${type}"` : ""}${LIST_START.test(start) ? ` start="${start}"` : ""}`;
}
