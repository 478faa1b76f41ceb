// SPEC "Form bridge": the event, the tags, the consent; in this order. The form itself is submitted
// unchanged.
import { TYPES, word } from "./browser-store.ts";
import { context, post, sessionToken } from "./outbox.ts";
import type { StoreWindow } from "./window-globals.ts";

export function bridgeForms(win: StoreWindow, layer: unknown[]): void {
  const submit = (formType: string, email: string, form?: HTMLFormElement): Promise<void> => {
    const page = context();
    // Only the consents the form asks for are sent.
    const flags: Record<string, boolean> = {};
    for (const type of TYPES) {
      const box = form?.elements.namedItem("consent_" + type) as
        HTMLInputElement | null | undefined;
      if (box) flags["consent_" + type] = box.checked;
    }
    // An object, not a gtag command, so that no tag sends it by itself. The e-mail is then reset in
    // the data layer, because a tag manager keeps it and would add it to every later event.
    layer.push(
      {
        event: "crm_form_submit",
        form_type: formType,
        email,
        session_id: page.ga_session_id,
        submit_timestamp: page.timestamp,
        consent_marketing: word(flags.consent_marketing ?? win._crmConsent?.read()?.marketing),
        crm_user_id: userId(),
        source_page: page.source_page,
      },
      { email: undefined },
    );
    // Without a session the tags answer 401; the consent is still sent.
    void post({
      add: [formType + "_subscribed", formType + "_" + page.timestamp.slice(0, 10)],
      remove: [],
      ga_session_id: page.ga_session_id,
    });
    return post({
      method: formType + "_form",
      ...flags,
      form_type: formType,
      email,
      ...page,
    });
  };

  win._crmForms = { submit };
  const onSubmit = ({ target: form }: { target: HTMLFormElement }) => {
    const email = form.querySelector<HTMLInputElement>("[type=email],[name*=email i]");
    if (form.dataset.crmForm && email) void submit(form.dataset.crmForm, email.value, form);
  };
  // In the capture phase: a form's own script may stop the event's propagation.
  document.addEventListener("submit", onSubmit as unknown as EventListener, true);
}

/**
 * The subject as the token's payload states it (`{"sub":"<number>"`), unverified: used for
 * analytics only.
 */
const userId = () =>
  /"sub":"(\d+)/.exec(atob(/\.(\w{24})/.exec(sessionToken() ?? "")?.[1] ?? ""))?.[1];
