/** HTML whose values are escaped: html`<p>${name}</p>`. Only another `html` value is inserted unescaped. */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | readonly Html[] | string | number | boolean | null | undefined;

/** null, undefined and booleans are left out, so that `${isShown && html`...`}` works. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, at) => text + toText(values[at - 1]) + part));
}

/** Markup that somebody else made: a rendered block, a style sheet. */
export const trusted = (text: string): Html => new Html(text);

function toText(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(({ text }: Html) => text).join("");
  if (typeof value === "string" || typeof value === "number")
    return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return "";
}
