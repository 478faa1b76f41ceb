// Pages, sections, text and lists.
import type { Drawing, HostElement } from "./host-element.ts";
import { make, setOrRemove, slot } from "./make.ts";
import { toSpace } from "./style.ts";

/** An element that only shows its children, with a class that follows its attributes. */
const wrapper =
  (
    tag: "div" | "span" | "p",
    classOf: (element: HostElement) => string,
    style: (element: HostElement) => Record<string, string> = () => ({}),
  ): Drawing =>
  (element, shadow) => {
    const inner = make(tag, {}, slot());
    shadow.append(inner);
    return () => {
      inner.className = classOf(element).trim();
      setOrRemove(inner, "role", roleOf(element));
      setOrRemove(inner, "aria-label", element.readText("accessibilityLabel"));
      setOrRemove(inner, "aria-hidden", hiddenOf(element));
      if (element.readText("accessibilityVisibility") === "exclusive")
        inner.className = "bare-label";
      Object.assign(inner.style, style(element));
    };
  };

const hiddenOf = (element: HostElement) =>
  element.readText("accessibilityVisibility") === "hidden" ? "true" : "";

const ROLES: Record<string, string> = {
  header: "banner",
  footer: "contentinfo",
  section: "region",
  aside: "complementary",
  "ordered-list": "list",
  "unordered-list": "list",
  "list-item": "listitem",
  generic: "",
};
const roleOf = (element: HostElement) => {
  const role = element.readText("accessibilityRole");
  return ROLES[role] ?? role;
};

const boxStyle = (element: HostElement) => ({
  padding: toSpace(element.readText("padding")),
  ...(element.readText("paddingBlock") && {
    paddingBlock: toSpace(element.readText("paddingBlock")),
  }),
  ...(element.readText("paddingInline") && {
    paddingInline: toSpace(element.readText("paddingInline")),
  }),
  background: element.readText("background") === "subdued" ? "var(--hover)" : "",
  border: /base|large/.test(element.readText("border")) ? "1px solid var(--line)" : "",
  borderRadius: element.readText("borderRadius") ? "var(--control-radius)" : "",
  maxInlineSize: element.readText("maxInlineSize"),
  minInlineSize: element.readText("minInlineSize"),
  inlineSize: element.readText("inlineSize"),
});

const flexStyle = (element: HostElement) => ({
  ...boxStyle(element),
  gap: toSpace(element.readText("gap")),
  ...(element.readText("rowGap") && { rowGap: toSpace(element.readText("rowGap")) }),
  ...(element.readText("columnGap") && { columnGap: toSpace(element.readText("columnGap")) }),
  alignItems: element.readText("alignItems"),
  justifyContent: element.readText("justifyContent"),
});

/** Headings count the sections around them, as on the platform. */
function levelOf(element: HostElement): number {
  let level = 2;
  for (let at = element.parentElement; at; at = at.parentElement)
    if (at.localName === "s-section" || at.localName === "s-admin-block") level += 1;
  return Math.min(level, 6);
}

function headed(tag: "div" | "section", name: string): Drawing {
  return (element, shadow) => {
    const level = levelOf(element);
    const heading = make(`h${level}` as "h2", { class: "heading" });
    const inner = make(tag, { class: name }, heading, slot());
    shadow.append(inner);
    return () => {
      heading.textContent = element.readText("heading");
      heading.hidden = element.readText("heading") === "";
      inner.classList.toggle("bare", element.readText("padding") === "none" || level > 2);
      setOrRemove(
        inner,
        "aria-label",
        element.readText("accessibilityLabel") || element.readText("heading"),
      );
    };
  };
}

const page: Drawing = (element, shadow) => {
  const heading = make("h1");
  const more = make("p", { class: "subdued" });
  const actions = make(
    "div",
    { class: "group" },
    slot("breadcrumb-actions"),
    slot("secondary-actions"),
    slot("primary-action"),
  );
  shadow.append(make("div", { class: "page" }, make("header", {}, heading, more, actions), slot()));
  return () => {
    heading.textContent = element.readText("heading");
    heading.hidden = element.readText("heading") === "";
    more.textContent = element.readText("subheading");
    more.hidden = element.readText("subheading") === "";
  };
};

const action: Drawing = (element, shadow) => {
  const heading = make("h2", { class: "heading" });
  const buttons = make("footer", {}, slot("secondary-actions"), slot("primary-action"));
  shadow.append(make("div", { class: "action-body" }, heading, slot(), buttons));
  return () => {
    heading.textContent = element.readText("heading");
    setOrRemove(heading, "aria-busy", element.readFlag("loading") ? "true" : "");
  };
};

const heading: Drawing = (element, shadow) => {
  const isPlain = /none|presentation/.test(element.readText("accessibilityRole"));
  shadow.append(
    make(isPlain ? "div" : (`h${levelOf(element)}` as "h2"), { class: "heading" }, slot()),
  );
};

const list =
  (tag: "ul" | "ol"): Drawing =>
  (_, shadow) => {
    // The items are slotted, so that they need their roles.
    shadow.append(make(tag, { class: "list", role: "list" }, slot()));
  };
const listItem: Drawing = (element, shadow) => {
  element.role = "listitem";
  shadow.append(slot());
};

const textClass = (element: HostElement) =>
  `${element.readText("type")} ${element.readText("color")} tone-${element.readText("tone") || "auto"}`;

const time: Drawing = (element, shadow) => {
  const inner = make("time", {}, slot());
  shadow.append(inner);
  return () => setOrRemove(inner, "datetime", element.readText("dateTime"));
};

const details: Drawing = (element, shadow) => {
  const summary = make("summary", {}, slot("summary"));
  const inner = make("details", {}, summary, make("div", {}, slot()));
  const place = () => {
    for (const child of element.children)
      if (child.localName === "s-summary") child.setAttribute("slot", "summary");
  };
  place();
  new MutationObserver(place).observe(element, { childList: true });
  inner.addEventListener("toggle", () => {
    element.keepValue("open", inner.open);
    element.dispatchEvent(new Event("toggle"));
  });
  inner.open = element.readFlag("defaultOpen");
  shadow.append(inner);
  return () => {
    if (element.readValue("open") !== undefined) inner.open = element.readFlag("open");
  };
};

const skeleton: Drawing = (_, shadow) => {
  shadow.append(make("div", { class: "skeleton", "aria-hidden": "true" }, make("i"), make("i")));
};

export const LAYOUT_DRAWINGS: Record<string, Drawing> = {
  "s-page": page,
  "s-section": headed("section", "section"),
  "s-admin-block": headed("div", "section"),
  "s-admin-action": action,
  "s-stack": wrapper(
    "div",
    (element) => `stack ${element.readText("direction") === "inline" ? "inline" : ""}`,
    flexStyle,
  ),
  "s-grid": wrapper(
    "div",
    () => "grid",
    (element) => ({
      ...flexStyle(element),
      gridTemplateColumns: element.readText("gridTemplateColumns"),
      gridTemplateRows: element.readText("gridTemplateRows"),
    }),
  ),
  "s-box": wrapper("div", () => "box", boxStyle),
  "s-heading": heading,
  "s-paragraph": wrapper("p", textClass, (element) => ({
    textAlign: element.readText("textAlign"),
  })),
  "s-text": wrapper("span", textClass),
  "s-unordered-list": list("ul"),
  "s-ordered-list": list("ol"),
  "s-list-item": listItem,
  "s-time": time,
  "s-details": details,
  "s-summary": wrapper("span", () => ""),
  "s-skeleton-paragraph": skeleton,
  "s-divider": (_, shadow) => shadow.append(make("hr")),
};
