// The tags of HTML with their attributes. The tokenizer reads the text once: a parser's stack of open
// elements takes time that grows with the square of a hostile page.
import { Tokenizer } from "htmlparser2";

export type Attributes = ReadonlyMap<string, string>;

type TagHandlers = {
  /** The elements whose attributes are read; of the others they are empty. */
  withAttributes?: ReadonlySet<string>;
  /** Reading stops after this many tags; absent: at the end. */
  maxTags?: number;
  /** False keeps the entities of texts as they are written. */
  decodesTexts?: boolean;
  onOpenTag(name: string, attributes: Attributes, isSelfClosing: boolean): void;
  /** A text between two tags may come in several pieces. */
  onText(text: string): void;
  onCloseTag(name: string): void;
  /** A comment, a declaration, or the beginning of an element that is not shown. */
  onLeftOut?(): void;
};

/**
 * Names are in lower case, texts and the values of attributes decoded. Comments and an opening tag that does not
 * end are left out, as in a browser. False: there are more tags than `maxTags`.
 */
export function readTags(html: string, handlers: TagHandlers): boolean {
  const { withAttributes, maxTags = Infinity, decodesTexts = true } = handlers;
  const leaveOut = () => handlers.onLeftOut?.();
  const nameAt = (start: number, end: number) => html.slice(start, end).toLowerCase();
  let tags = 0;
  let tag = "";
  let attributes = new Map<string, string>();
  /** The attribute being read: its value comes in pieces. Null when it does not count. */
  let attribute: { name: string; value: string } | null = null;
  const countTag = () => {
    tags += 1;
    if (tags > maxTags) tokenizer.pause();
  };

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: decodesTexts },
    {
      onopentagname(start, end) {
        tag = nameAt(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = withAttributes?.has(tag) ? { name: nameAt(start, end), value: "" } : null;
      },
      onattribdata(start, end) {
        if (attribute) attribute.value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute) attribute.value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        // The first of two attributes of one name counts.
        if (attribute && !attributes.has(attribute.name))
          attributes.set(attribute.name, attribute.value);
      },
      onopentagend() {
        handlers.onOpenTag(tag, attributes, false);
        countTag();
      },
      onselfclosingtag() {
        handlers.onOpenTag(tag, attributes, true);
        countTag();
      },
      ontext: (start, end) => handlers.onText(html.slice(start, end)),
      ontextentity: (codePoint) => handlers.onText(String.fromCodePoint(codePoint)),
      onclosetag(start, end) {
        handlers.onCloseTag(nameAt(start, end));
        countTag();
      },
      onend() {},
      oncdata: leaveOut,
      oncomment: leaveOut,
      ondeclaration: leaveOut,
      onprocessinginstruction: leaveOut,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return tags <= maxTags;
}

const NOT_SHOWN = new Set(["script", "style", "template", "noscript", "svg"]);

/** `readTags` without what a page does not show as text: these elements and their content. */
export function readShownTags(html: string, handlers: TagHandlers): boolean {
  const { onOpenTag, onText, onCloseTag, onLeftOut } = handlers;
  let hidden: string | null = null;
  return readTags(html, {
    ...handlers,
    onOpenTag(name, attributes, isSelfClosing) {
      if (hidden !== null) return;
      if (!NOT_SHOWN.has(name)) return onOpenTag(name, attributes, isSelfClosing);
      onLeftOut?.();
      // Of these elements only `svg` can close itself.
      if (!isSelfClosing || name !== "svg") hidden = name;
    },
    onText(text) {
      if (hidden === null) onText(text);
    },
    onCloseTag(name) {
      if (hidden === null) onCloseTag(name);
      else if (hidden === name) hidden = null;
    },
  });
}
