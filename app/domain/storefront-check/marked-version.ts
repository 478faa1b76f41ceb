// The marked version of what a page loads, to copy into the theme: it then waits for the consent to its
// purposes (app/embeds/scripts/marked-scripts.ts reads it).
import type { PageElement } from "./read-elements.ts";

const MAX_LENGTH = 4_000;
const MAX_ATTRIBUTES = 30;
const ATTRIBUTE_NAME = /^[a-z_][\w:.-]{0,60}$/;
/** Attributes that the mark sets itself. */
const OWN = new Set(["type", "src", "data-src", "data-type", "data-consent"]);

export type MarkedVersion = {
  text: string;
  /** `tag`: the code is too long to be shown, only its opening tag is. */
  part: "all" | "tag";
};

/** Null where its attributes alone are too long to be shown. */
export function toMarkedVersion(
  element: PageElement,
  purposes: readonly string[],
): MarkedVersion | null {
  const consent = `data-consent="${purposes.join(" ")}"`;
  const { name, attributes, code } = element;
  const src = attributes.get("src") ?? "";
  if (name === "iframe") {
    const tag = [`<iframe ${consent}`, ...othersOf(element), written("data-src", src)].join(" ");
    return shortened(`${tag}></iframe>`, `${tag}>`);
  }
  // Only scripts and frames can wait, so a script asks for the picture.
  if (name === "img") {
    const address = JSON.stringify(src).replaceAll("<", "\\u003c");
    const tag = `<script type="text/plain" ${consent}>`;
    return shortened(`${tag}\n  new Image().src = ${address};\n</script>`, tag);
  }
  const type = attributes.get("type")?.trim().toLowerCase();
  const tag = [
    `<script type="text/plain" ${consent}`,
    ...(type === "module" ? ['data-type="module"'] : []),
    ...othersOf(element),
    ...(src === "" ? [] : [written("data-src", src)]),
  ].join(" ");
  return shortened(`${tag}>${src === "" ? code : ""}</script>`, `${tag}>`);
}

function shortened(all: string, tag: string): MarkedVersion | null {
  if (all.length <= MAX_LENGTH) return { text: all, part: "all" };
  return tag.length <= MAX_LENGTH ? { text: tag, part: "tag" } : null;
}

const othersOf = ({ attributes }: PageElement): string[] =>
  [...attributes]
    .filter(([name]) => !OWN.has(name) && ATTRIBUTE_NAME.test(name))
    .slice(0, MAX_ATTRIBUTES)
    .map(([name, value]) => (value === "" ? name : written(name, value)));

const written = (name: string, value: string): string =>
  `${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`;
