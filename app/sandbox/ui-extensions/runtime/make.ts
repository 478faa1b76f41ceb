// The parts of a drawing: elements of the shadow.

type Attributes = Record<string, string | boolean>;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setOrRemove(element, name, value);
  element.append(...children);
  return element;
}

export const slot = (name?: string): HTMLSlotElement => make("slot", name ? { name } : {});

/** An empty text and `false` remove the attribute. */
export function setOrRemove(element: Element, name: string, value: string | boolean): void {
  if (value === "" || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}
