// The tags of a page with their attributes. The tokenizer reads the text once: a parser's stack of open
// elements takes time that grows with the square of a hostile page.
import { Tokenizer } from "htmlparser2";

export type Attributes = ReadonlyMap<string, string>;

type TagHandlers = {
  /** The elements whose attributes are read; of the others they are empty. */
  withAttributes: ReadonlySet<string>;
  onOpenTag(name: string, attributes: Attributes, isSelfClosing: boolean): void;
  onText(text: string): void;
  onCloseTag(name: string): void;
};

/** Names are in lower case, the values of attributes decoded. */
export function readTags(html: string, handlers: TagHandlers): void {
  const { withAttributes, onOpenTag, onText, onCloseTag } = handlers;
  const nameAt = (start: number, end: number) => html.slice(start, end).toLowerCase();
  let tag = "";
  let attributes = new Map<string, string>();
  /** The attribute being read: its value comes in pieces. Null when it does not count. */
  let attribute: { name: string; value: string } | null = null;

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = nameAt(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = withAttributes.has(tag) ? { name: nameAt(start, end), value: "" } : null;
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
      onopentagend: () => onOpenTag(tag, attributes, false),
      onselfclosingtag: () => onOpenTag(tag, attributes, true),
      ontext: (start, end) => onText(html.slice(start, end)),
      onclosetag: (start, end) => onCloseTag(nameAt(start, end)),
      onend() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      ontextentity() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
