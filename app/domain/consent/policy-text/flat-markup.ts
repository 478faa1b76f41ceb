// A policy's HTML, reduced to the little that is read of it: paragraphs, lines and lists. Stores write
// any HTML, and converting tables or deep nesting takes time that grows with the square of the text.
// What this returns is flat but for lists, has no attributes of the store, and every other "<" of it is
// escaped. One pass over the text; nothing in it is looked at twice.

const PARAGRAPHS = new Set(
  "address article aside blockquote caption dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav p pre section table tr".split(
    " ",
  ),
);
/** A cell is a line: side by side, long cells are unreadable on a narrow screen. */
const LINES = new Set("dd div dt figcaption li td th".split(" "));
/** Elements whose content nobody sees, and where it ends. */
const UNSEEN: Record<string, RegExp> = {
  script: /<\/script(?![a-z0-9-])/gi,
  style: /<\/style(?![a-z0-9-])/gi,
  template: /<\/template(?![a-z0-9-])/gi,
  noscript: /<\/noscript(?![a-z0-9-])/gi,
  svg: /<\/svg(?![a-z0-9-])/gi,
};

const TAG_START = /<(?:\/?[a-z]|[!?])/gi;
const TAG = /<(\/?)([a-z][a-z0-9-]{0,20})/iy;
const QUOTED_VALUE_OR_END = /=\s{0,20}(?:"[^"]*"|'[^']*')|>/g;
const LIST_TYPE = /\stype=["']?([1aAiI])(?![a-z0-9])/;
const LIST_START = /\sstart=["']?(\d{1,3})(?!\d)/;

/** Every level indents each line below it. */
const MAX_LISTS = 8;
/** A long policy has some hundred. */
const MAX_TAGS = 20_000;

/** Null when it has more tags than any policy. */
export function flattenMarkup(html: string): string | null {
  const flat = startFlatMarkup();
  let at = 0;
  for (let tags = 0; tags <= MAX_TAGS; tags += 1) {
    const start = find(TAG_START, html, at)?.index ?? -1;
    const tag = start === -1 ? null : readTag(html, start);
    // Markup that does not end is text.
    if (!tag) return flat.finish(html.slice(at));
    flat.addText(html.slice(at, start));
    flat.addTag(tag);
    at = tag.end;
  }
  return null;
}

type Tag = { name: string; isClosing: boolean; source: string; end: number };

const find = (pattern: RegExp, html: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(html);
};

/** The tag that starts there, or all that nobody sees; null: it does not end. */
function readTag(html: string, start: number): Tag | null {
  const found = find(TAG, html, start);
  if (!found) return skipTo(endOfComment(html, start));
  const [{ length }, slash, written = ""] = found;
  const end = endOfTag(html, start + length);
  if (end === null) return null;
  const name = written.toLowerCase();
  const closing = slash === "" && Object.hasOwn(UNSEEN, name) ? UNSEEN[name] : undefined;
  if (!closing) return { name, isClosing: slash !== "", source: html.slice(start, end), end };
  const closed = find(closing, html, end);
  return closed && skipTo(endOfTag(html, closed.index));
}

const skipTo = (end: number | null): Tag | null =>
  end === null ? null : { name: "", isClosing: false, source: "", end };

function endOfComment(html: string, start: number): number | null {
  const closing = html.startsWith("<!--", start) ? "-->" : ">";
  const found = html.indexOf(closing, start);
  return found === -1 ? null : found + closing.length;
}

/** Behind its ">", which may also stand in a quoted value. */
function endOfTag(html: string, from: number): number | null {
  for (let at = from; ; at = QUOTED_VALUE_OR_END.lastIndex) {
    const found = find(QUOTED_VALUE_OR_END, html, at);
    if (!found) return null;
    if (found[0] === ">") return found.index + 1;
  }
}

function startFlatMarkup() {
  const written: string[] = [];
  /** The open lists and their items, outermost first. */
  const open: string[] = [];
  /** Line breaks before the next text. A list breaks the line by itself. */
  let breaks = 0;
  let isLineEmpty = true;

  function breakLine(count: number): void {
    if (!isLineEmpty) breaks = Math.min(2, count);
  }

  function addListTag(tag: string): void {
    written.push(tag);
    breaks = 0;
    isLineEmpty = true;
  }

  function start(name: string, tag: string): void {
    // The end of a paragraph also separates it from a list; nested lists are close together.
    if (open.length === 0 && breaks > 0) written.push("<br>");
    open.push(name);
    addListTag(tag);
  }

  function closeLast(): string | undefined {
    const name = open.pop();
    addListTag(`</${name}>`);
    return name;
  }

  function addList(name: string, { isClosing, source }: Tag): void {
    if (!isClosing) {
      const depth = open.filter((one) => one !== "li").length;
      if (depth < MAX_LISTS) start(name, `<${name}${name === "ol" ? numbering(source) : ""}>`);
    } else if (open.includes(name)) while (closeLast() !== name);
  }

  function addItem(isClosing: boolean): void {
    if (open.at(-1) === "li") closeLast();
    if (!isClosing) start("li", "<li>");
  }

  function addText(text: string): void {
    if (text.trim() !== "") {
      written.push("<br>".repeat(breaks));
      breaks = 0;
      isLineEmpty = false;
    }
    written.push(text.replaceAll("<", "&lt;"));
  }

  function addTag(tag: Tag): void {
    const { name, isClosing } = tag;
    if (name === "br") breakLine(breaks + 1);
    else if (name === "ul" || name === "ol") addList(name, tag);
    else if (name === "li" && open.length > 0) addItem(isClosing);
    else if (PARAGRAPHS.has(name)) breakLine(2);
    else if (LINES.has(name)) breakLine(Math.max(1, breaks));
  }

  function finish(text: string): string {
    addText(text);
    return written.join("");
  }

  return { addText, addTag, finish };
}

/** The letters and numbers of a list that others refer to. */
function numbering(source: string): string {
  const [type, start] = [LIST_TYPE.exec(source)?.[1], LIST_START.exec(source)?.[1]];
  return `${type ? ` type="${type}"` : ""}${start ? ` start="${start}"` : ""}`;
}
