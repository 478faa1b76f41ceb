// Buttons, links, fields and dialogs.
import { HostElement, type Drawing } from "./host-element.ts";
import { make, setOrRemove, slot } from "./make.ts";

/** Opens an address outside the frame; set by the runtime. */
export const outside: { open: (link: { url: string; isNew: boolean }) => void } = {
  open: () => {},
};

/** What `commandFor` and `command` of a button do. */
function runCommand(element: HostElement): boolean {
  const id = element.readText("commandFor");
  if (!id) return false;
  const target = document.getElementById(id);
  if (!(target instanceof HostElement)) throw new Error(`commandFor="${id}" names no element`);
  const command = element.readText("command") || "--auto";
  target.dispatchEvent(new CustomEvent("sandbox-command", { detail: command }));
  return true;
}

function follow(element: HostElement): boolean {
  const url = element.readText("href");
  if (!url) return false;
  outside.open({ url, isNew: element.readText("target") === "_blank" });
  return true;
}

function submitFormOf(element: HostElement): void {
  const form = element.closest("s-form");
  form?.dispatchEvent(new Event("submit"));
}

const button: Drawing = (element, shadow) => {
  const inner = make("button", { type: "button" }, slot());
  shadow.append(inner);
  inner.addEventListener("click", () => {
    // After the extension's own listeners.
    queueMicrotask(() => {
      if (follow(element) || runCommand(element)) return;
      if (element.readText("type") === "submit") submitFormOf(element);
    });
  });
  return () => {
    const isPrimary =
      element.readText("variant") === "primary" || isInSlot(element, "primary-action");
    const isLoading = element.readFlag("loading");
    inner.className = [
      isPrimary ? "primary" : element.readText("variant"),
      element.readText("tone"),
      element.readText("inlineSize"),
    ].join(" ");
    inner.disabled = element.readFlag("disabled") || isLoading;
    setOrRemove(inner, "aria-busy", isLoading ? "true" : "");
    setOrRemove(inner, "aria-label", element.readText("accessibilityLabel"));
    setOrRemove(inner, "role", element.readText("href") ? "link" : "");
  };
};

const isInSlot = (element: HostElement, name: string) =>
  element.slot === name || element.parentElement?.slot === name;

const link: Drawing = (element, shadow) => {
  const inner = make("a", { class: "link" }, slot());
  shadow.append(inner);
  inner.addEventListener("click", (event) => {
    event.preventDefault();
    queueMicrotask(() => {
      if (!follow(element)) runCommand(element);
    });
  });
  return () => {
    inner.setAttribute("href", element.readText("href") || "#");
    setOrRemove(inner, "aria-label", element.readText("accessibilityLabel"));
  };
};

/** A check box or a switch. */
const toggle =
  (name: "check" | "switch"): Drawing =>
  (element, shadow) => {
    const input = make("input", { type: "checkbox", id: "control" });
    if (name === "switch") input.setAttribute("role", "switch");
    const text = make("span");
    const error = make("span", { class: "error", id: "error" });
    const label = make(
      "label",
      { class: name },
      ...(name === "check" ? [input, text] : [text, input]),
    );
    shadow.append(label, error);
    element.keepValue(
      "checked",
      element.readValue("checked") ?? element.readFlag("defaultChecked"),
    );
    input.addEventListener("change", () => {
      element.keepValue("checked", input.checked);
      element.dispatchEvent(new Event("input"));
      element.dispatchEvent(new Event("change"));
    });
    return () => {
      const known = element.readText("accessibilityLabel");
      input.checked = element.readFlag("checked");
      input.disabled = element.readFlag("disabled");
      text.textContent = element.readText("label") || known;
      text.className = element.readText("label") ? "" : "bare-label";
      setOrRemove(input, "aria-label", element.readText("label") ? known : "");
      error.textContent = element.readText("error");
      error.hidden = error.textContent === "";
      setOrRemove(input, "aria-describedby", error.hidden ? "" : "error");
      setOrRemove(input, "aria-invalid", error.hidden ? "" : "true");
    };
  };

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function drawField(element: HostElement, shadow: ShadowRoot, control: Control): () => void {
  control.id = "control";
  const label = make("label", { for: "control" });
  const help = make("p", { class: "details-text", id: "help" });
  const error = make("p", { class: "error", id: "error" });
  shadow.append(make("div", { class: "field" }, label, control, help, error));
  element.keepValue("value", element.readValue("value") ?? element.readText("defaultValue"));
  for (const type of ["input", "change", "focus", "blur"])
    control.addEventListener(type, (event) => {
      element.keepValue("value", control.value);
      // `input` leaves the shadow by itself.
      if (!event.composed) element.dispatchEvent(new Event(type));
    });
  control.addEventListener("keydown", (event) => {
    if ((event as KeyboardEvent).key === "Enter" && control instanceof HTMLInputElement)
      submitFormOf(element);
  });
  return () => {
    label.textContent = element.readText("label");
    label.className =
      element.readText("labelAccessibilityVisibility") === "exclusive" ? "bare-label" : "";
    if (control.value !== element.readText("value")) control.value = element.readText("value");
    control.disabled = element.readFlag("disabled");
    control.required = element.readFlag("required");
    setOrRemove(control, "placeholder", element.readText("placeholder"));
    setOrRemove(control, "autocomplete", element.readText("autocomplete"));
    setOrRemove(control, "readonly", element.readFlag("readOnly"));
    setOrRemove(control, "maxlength", element.readText("maxLength"));
    help.textContent = element.readText("details");
    help.hidden = help.textContent === "";
    error.textContent = element.readText("error");
    error.hidden = error.textContent === "";
    const described = [!help.hidden && "help", !error.hidden && "error"].filter(Boolean);
    setOrRemove(control, "aria-describedby", described.join(" "));
    setOrRemove(control, "aria-invalid", error.hidden ? "" : "true");
  };
}

const field =
  (type: string): Drawing =>
  (element, shadow) =>
    drawField(element, shadow, make("input", { type }));
const textArea: Drawing = (element, shadow) => drawField(element, shadow, make("textarea"));

const select: Drawing = (element, shadow) => {
  const control = make("select");
  const update = drawField(element, shadow, control);
  const readOptions = () => {
    const options = [...element.querySelectorAll("s-option")] as HostElement[];
    const placeholder = element.readText("placeholder");
    control.replaceChildren(
      // Not by `make`: without the attribute the option's value would be its text.
      ...(placeholder ? [new Option(placeholder, "")] : []),
      ...options.map((option) =>
        make(
          "option",
          { value: option.readText("value"), disabled: option.readFlag("disabled") },
          option.textContent ?? "",
        ),
      ),
    );
    update();
  };
  const observer = new MutationObserver(() => queueMicrotask(readOptions));
  observer.observe(element, { childList: true, subtree: true, characterData: true });
  queueMicrotask(readOptions);
  return update;
};

const choiceList: Drawing = (element, shadow) => {
  const legend = make("legend", { class: "heading" });
  const box = make("fieldset", { class: "stack" }, legend);
  box.style.cssText = "border:0;margin:0;padding:0;gap:8px";
  shadow.append(box);
  const readChoices = () => {
    const type = element.readFlag("multiple") ? "checkbox" : "radio";
    const values = (element.readValue("values") ?? []) as string[];
    const choices = [...element.querySelectorAll("s-choice")] as HostElement[];
    legend.textContent = element.readText("label");
    legend.className =
      element.readText("labelAccessibilityVisibility") === "exclusive" ? "bare-label" : "heading";
    box.replaceChildren(
      legend,
      ...choices.map((choice) => {
        const value = choice.readText("value");
        const input = make("input", { type, name: "choice", value });
        input.checked = values.includes(value) || choice.readFlag("selected");
        input.disabled = element.readFlag("disabled") || choice.readFlag("disabled");
        return make("label", { class: "check" }, input, make("span", {}, choice.textContent ?? ""));
      }),
    );
  };
  box.addEventListener("change", () => {
    const chosen = [...box.querySelectorAll("input:checked")] as HTMLInputElement[];
    element.keepValue(
      "values",
      chosen.map(({ value }) => value),
    );
    element.dispatchEvent(new Event("input"));
    element.dispatchEvent(new Event("change"));
  });
  new MutationObserver(() => queueMicrotask(readChoices)).observe(element, {
    childList: true,
    subtree: true,
    characterData: true,
  });
  queueMicrotask(readChoices);
  return () => queueMicrotask(readChoices);
};

const hidden: Drawing = (_, shadow) => shadow.append(slot());

/**
 * Where the person pressed last: in a frame of the page's height a dialog in the middle may be out of sight. Noted
 * before the button's own listeners open the dialog.
 */
let pressedAt = 0;
addEventListener(
  "click",
  ({ target }) => {
    if (target instanceof Element) pressedAt = target.getBoundingClientRect().top;
  },
  { capture: true },
);

const modal: Drawing = (element, shadow) => {
  const heading = make("h2", { class: "heading", id: "heading" });
  const close = make("button", { type: "button", "aria-label": "Close" }, "×");
  const dialog = make(
    "dialog",
    { "aria-labelledby": "heading" },
    make(
      "div",
      { class: "inner" },
      make("header", {}, heading, close),
      make("div", {}, slot()),
      make("footer", {}, slot("secondary-actions"), slot("primary-action")),
    ),
  );
  shadow.append(dialog);
  const show = () => {
    if (dialog.open) return;
    dialog.style.top = `${Math.max(12, Math.min(pressedAt - 160, innerHeight - 420))}px`;
    dialog.showModal();
    dialog.scrollIntoView({ block: "nearest" });
    element.dispatchEvent(new Event("show"));
    element.dispatchEvent(new Event("aftershow"));
  };
  const hide = () => dialog.close();
  close.addEventListener("click", hide);
  dialog.addEventListener("close", () => {
    element.dispatchEvent(new Event("hide"));
    element.dispatchEvent(new Event("afterhide"));
  });
  element.listen("sandbox-command", (event) => {
    const { detail } = event as CustomEvent<string>;
    if (detail === "--hide" || (detail === "--toggle" && dialog.open)) hide();
    else show();
  });
  Object.assign(element, { hideOverlay: hide });
  return () => {
    heading.textContent = element.readText("heading");
    setOrRemove(dialog, "aria-label", element.readText("accessibilityLabel"));
  };
};

const group: Drawing = (element, shadow) => {
  const inner = make(
    "div",
    { class: "group", role: "group" },
    slot(),
    slot("secondary-actions"),
    slot("primary-action"),
  );
  shadow.append(inner);
  return () => setOrRemove(inner, "aria-label", element.readText("accessibilityLabel"));
};

export const CONTROL_DRAWINGS: Record<string, Drawing> = {
  "s-button": button,
  "s-button-group": group,
  "s-link": link,
  "s-checkbox": toggle("check"),
  "s-switch": toggle("switch"),
  "s-text-field": field("text"),
  "s-email-field": field("email"),
  "s-search-field": field("search"),
  "s-text-area": textArea,
  "s-select": select,
  "s-option": hidden,
  "s-choice-list": choiceList,
  "s-choice": hidden,
  "s-form": (_, shadow) => shadow.append(slot()),
  "s-modal": modal,
};
