// SPEC "Form bridge": the event, the tags, the consent; in this order. The form itself is submitted
// unchanged. A field is `[type, name, value, isChecked]`: so the theme's page keeps a form that is submitted
// before this script is there (extensions/consent-footer/blocks/consent.liquid).
import { attempt, TYPES, word } from "./browser-store.ts";
import type { FormField, LoaderAccess, StoreWindow } from "./window-globals.ts";

/** sessionStorage: the theme's page keeps the same submissions there, for the page that follows. */
const FORMS_KEY = "crm_forms";

/** Not by `Array.from`: libraries of older themes replace it, and theirs has no second argument. */
const fieldsOf = (form: HTMLFormElement) =>
  [...(form.elements as unknown as HTMLInputElement[])].map((field): FormField => [
    field.type,
    field.name,
    field.value,
    field.checked,
  ]);

/** With the tag's date behind it, a form's name fits into a slug of 40 characters. */
const MAX_SLUG = 29;
/** The service refuses them as names of forms. */
const REFUSED = /^(tos|privacy|cookie|marketing|a2a|ap2)?$/i;

/** As the service makes a tag's slug; what the service takes as it is stays as it is. */
const toFormType = (name: string) =>
  /^[a-z0-9][\w-]{0,39}$/i.test(name)
    ? name
    : name
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "_")
        .replace(/^_/, "")
        .slice(0, MAX_SLUG)
        .replace(/_$/, "");

const findEmail = (fields: FormField[]) =>
  (fields.find(([type]) => type === "email") ??
    fields.find(([type, name]) => type === "text" && /e-?mail/i.test(name)))?.[2];

/** Undefined where the form does not ask. A radio button grants with one of four values. */
function findConsent(fields: FormField[], name: string): boolean | undefined {
  const boxes = fields.filter(([type, own]) => own === name && /^(checkbox|radio)$/.test(type));
  const ticked = boxes.find(([, , , isChecked]) => isChecked);
  if (ticked) return ticked[0] === "checkbox" || /^(yes|true|1|on)$/i.test(ticked[2]);
  return boxes[0]?.[0] === "checkbox" ? false : undefined;
}

export function bridgeForms(
  win: StoreWindow,
  { context, post, userId, place }: Pick<LoaderAccess, "context" | "post" | "userId" | "place">,
): void {
  const send = (
    name: string,
    email: string | undefined,
    fields: FormField[] = [],
    at = Date.now(),
    by = userId() ?? place[4] ?? "",
  ) => {
    const formType = toFormType(name);
    // For the theme's author, who alone can rename it.
    // oxlint-disable-next-line no-console
    if (REFUSED.test(formType)) console.warn("A form cannot be named like this:", name);
    const address = email ?? findEmail(fields);
    const page = { ...context(), timestamp: new Date(at).toISOString() };
    // Only the consents the form asks for are sent.
    const flags: Record<string, boolean | undefined> = {};
    for (const type of TYPES) flags["consent_" + type] = findConsent(fields, "consent_" + type);
    // An object, not a gtag command, so that no tag sends it by itself. The email is then reset in
    // the data layer, because a tag manager keeps it and would add it to every later event.
    win.dataLayer?.push(
      {
        event: "crm_form_submit",
        form_type: formType,
        email: address,
        session_id: page.ga_session_id,
        submit_timestamp: page.timestamp,
        consent_marketing: word(flags.consent_marketing ?? win._crmConsent?.read()?.marketing),
        crm_user_id: /^\d+$/.exec(by)?.[0],
        source_page: page.source_page,
      },
      { email: undefined },
    );
    // Without a session the tags answer 401; the consent is still sent.
    void post(
      {
        add: [formType + "_subscribed", formType + "_" + page.timestamp.slice(0, 10)],
        remove: [],
        ga_session_id: page.ga_session_id,
      },
      by,
      at,
    );
    return post(
      {
        method: formType + "_form",
        ...flags,
        form_type: formType,
        email: address,
        ...page,
      },
      by,
      at,
    );
  };

  const waiting = win._crmForms?.waiting ?? [];
  win._crmForms = {
    submit: (name, email, form) => send(name, email, form && fieldsOf(form)),
  };
  for (const [name, email, form, at, customer, token] of waiting)
    void send(
      name,
      email ?? undefined,
      form instanceof HTMLFormElement ? fieldsOf(form) : form,
      at,
      // Somebody else may be signed in since.
      at ? (userId(token) ?? (customer && "customer " + customer)) : undefined,
    );
  attempt(() => delete sessionStorage[FORMS_KEY]);
  // In the capture phase: a form's own script may stop the event's propagation.
  document.addEventListener(
    "submit",
    ({ target }) => {
      const form = target as HTMLFormElement;
      const fields = form.dataset.crmForm ? fieldsOf(form) : [];
      if (findEmail(fields)) void send(form.dataset.crmForm as string, undefined, fields);
    },
    true,
  );
}
