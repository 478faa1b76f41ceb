// Fields and forms: a label per field, the error beside its field, and the focus on the first error.
import { busyWhile, el, problem, type Child, labelled } from "./elements.ts";
import { WORDS } from "./page-data.ts";

export type Field = {
  row: HTMLElement;
  input: HTMLInputElement;
  fail(reason: string): void;
  clear(): void;
};
type FieldOptions = {
  type?: string;
  autocomplete?: string;
  required?: boolean;
  value?: string;
  rule?: string;
  maxlength?: string;
};

// Ids begin with crm-: the surrounding theme may have an email field of its own.
export function field(
  name: string,
  label: string,
  {
    type = "text",
    autocomplete = "off",
    required = false,
    value = "",
    rule,
    maxlength = "200",
  }: FieldOptions = {},
): Field {
  const id = `crm-${name}`;
  const input = el("input", {
    id,
    name,
    type,
    autocomplete,
    maxlength,
    required,
    ...(rule && { "aria-describedby": `${id}-rule` }),
  });
  input.value = value;
  const reason = el("small", { id: `${id}-reason`, class: "error", hidden: true });
  const row = el(
    "div",
    {},
    el("label", { for: id }, label, !required && el("small", {}, WORDS.optional)),
    input,
    rule ? el("small", { id: `${id}-rule` }, rule) : null,
    reason,
  );
  return { row, input, ...faultOf(input, reason, rule ? `${id}-rule` : null) };
}

/** A checkbox, never ticked in advance. */
export function checkbox(
  name: string,
  label: string,
  { required = false, link = null }: { required?: boolean; link?: string | null } = {},
): Field {
  const id = `crm-${name}`;
  const input = el("input", { id, name, type: "checkbox", required });
  const reason = el("small", { id: `${id}-reason`, class: "error", hidden: true });
  const more: Child =
    link &&
    el(
      "a",
      {
        href: link,
        target: "_blank",
        rel: "noopener",
        "aria-label": labelled(label, `${WORDS.read} (${WORDS.opensNewTab})`),
      },
      WORDS.read,
    );
  const row = el(
    "div",
    {},
    el(
      "label",
      { class: "check", for: id },
      input,
      el("span", {}, label, required && ` (${WORDS.required})`),
    ),
    more,
    reason,
  );
  return { row, input, ...faultOf(input, reason, null) };
}

function faultOf(
  input: HTMLElement,
  reason: HTMLElement,
  rule: string | null,
): Pick<Field, "fail" | "clear"> {
  return {
    fail(text) {
      reason.textContent = text;
      reason.hidden = false;
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", [reason.id, rule].filter(Boolean).join(" "));
    },
    clear() {
      reason.hidden = true;
      reason.textContent = "";
      input.removeAttribute("aria-invalid");
      if (rule) input.setAttribute("aria-describedby", rule);
      else input.removeAttribute("aria-describedby");
    },
  };
}

export type Fault = { text: string; fields?: Record<string, string> };

type FormParts = {
  /** Elements after the fields. */
  extra?: Child[];
  /** A button to cancel, for an act that cannot be undone: the button that does it is then marked. */
  cancel?: HTMLElement;
};

/**
 * A form whose `act` returns what is wrong, or null on success. `required` is checked here, with a
 * message in the page's language.
 */
export function form(
  fields: Record<string, Field>,
  submit: string,
  act: () => Promise<Fault | null>,
  { extra = [], cancel }: FormParts = {},
): HTMLFormElement {
  const place = el("div");
  const send = el("button", { type: "submit", ...(cancel && { class: "final" }) }, submit);
  const made: HTMLFormElement = el(
    "form",
    {
      novalidate: true,
      submit: (event) => {
        event.preventDefault();
        void busyWhile(send, async () => {
          place.replaceChildren();
          for (const one of Object.values(fields)) one.clear();
          const fault =
            findMissing(fields) ??
            (await act().catch((error: unknown) => ({
              text: error instanceof Error ? error.message : WORDS.failed,
            })));
          if (fault) tell(fields, place, fault);
        });
      },
    },
    place,
    ...Object.values(fields).map(({ row }) => row),
    ...extra,
    cancel ? el("div", { class: "actions" }, send, cancel) : send,
  );
  return made;
}

function findMissing(fields: Record<string, Field>): Fault | null {
  const missing = Object.entries(fields).filter(
    ([, { input }]) =>
      input.required && (input.type === "checkbox" ? !input.checked : input.value.trim() === ""),
  );
  if (missing.length === 0) return null;
  return {
    text: WORDS.checkFields,
    fields: Object.fromEntries(
      missing.map(([name, { input }]) => [
        name,
        input.type === "checkbox" ? WORDS.untickedBox : WORDS.missing,
      ]),
    ),
  };
}

function tell(fields: Record<string, Field>, place: HTMLElement, fault: Fault): void {
  place.replaceChildren(problem(fault.text));
  const wrong = Object.entries(fault.fields ?? {}).filter(([name]) => fields[name]);
  for (const [name, reason] of wrong) fields[name]?.fail(reason);
  const first = wrong.map(([name]) => fields[name]?.input)[0];
  first?.focus();
}
