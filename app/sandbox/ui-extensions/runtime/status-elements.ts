// What tells a state: badges, banners, icons, spinners, and tables.
import type { Drawing } from "./host-element.ts";
import { make, setOrRemove, slot } from "./make.ts";

const badge: Drawing = (element, shadow) => {
  const inner = make("span", {}, slot());
  shadow.append(inner);
  return () => {
    inner.className = `badge ${element.readText("tone")}`;
  };
};

const banner: Drawing = (element, shadow) => {
  const heading = make("h3");
  const close = make("button", { type: "button", "aria-label": "Dismiss" }, "×");
  const inner = make("div", {}, heading, make("div", {}, slot()), close);
  close.addEventListener("click", () => {
    element.writeValue("hidden", true);
    element.dispatchEvent(new Event("dismiss"));
    element.dispatchEvent(new Event("afterhide"));
  });
  shadow.append(inner);
  return () => {
    const tone = element.readText("tone");
    inner.className = `banner ${tone}`;
    inner.setAttribute("role", tone === "critical" || tone === "warning" ? "alert" : "status");
    heading.textContent = element.readText("heading");
    heading.hidden = element.readText("heading") === "";
    close.hidden = !element.readFlag("dismissible");
  };
};

const ICONS: Record<string, string> = {
  check: "✓",
  "check-circle": "✓",
  alert: "!",
  "alert-triangle": "!",
  "alert-circle": "!",
  info: "i",
  x: "×",
  "x-circle": "×",
};
const icon: Drawing = (element, shadow) => {
  const inner = make("span", { "aria-hidden": "true" });
  shadow.append(inner);
  return () => {
    inner.textContent = ICONS[element.readText("type")] ?? "•";
    inner.className = `tone-${element.readText("tone") || "auto"}`;
  };
};

const spinner: Drawing = (element, shadow) => {
  const inner = make("span", { class: "spinner", role: "status" });
  shadow.append(inner);
  return () => setOrRemove(inner, "aria-label", element.readText("accessibilityLabel") || "…");
};

/** The parts of a table are slotted, so that they need their roles. */
const tablePart =
  (role: string): Drawing =>
  (element, shadow) => {
    element.role = role;
    shadow.append(slot());
  };

const tableHead: Drawing = (element, shadow) => {
  element.role = "row";
  shadow.append(slot());
};

const table: Drawing = (_, shadow) => {
  shadow.append(make("div", { class: "table", role: "table" }, slot()));
};

export const STATUS_DRAWINGS: Record<string, Drawing> = {
  "s-badge": badge,
  "s-banner": banner,
  "s-icon": icon,
  "s-spinner": spinner,
  "s-table": table,
  "s-table-body": tablePart("rowgroup"),
  "s-table-row": tablePart("row"),
  "s-table-cell": tablePart("cell"),
  "s-table-header": tablePart("columnheader"),
  "s-table-header-row": tableHead,
};
