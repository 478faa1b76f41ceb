// SPEC "Form bridge": the event, the tags, the consent; in this order. The form itself goes on as if we were not there.
import { TYPES } from "./browser-store.ts";
import { word } from "./loader-place.ts";
import { context, post, sessionToken } from "./outbox.ts";
import type { StoreWindow } from "./store-window.ts";

export function bridgeForms(win: StoreWindow, layer: unknown[]): void {
  const submit = (formType: string, email: string, form?: HTMLFormElement): Promise<void> => {
    const said = context();
    // What the form asks is answered by the form; what it does not ask is not said.
    const flags: Record<string, boolean> = {};
    for (const type of TYPES) {
      const box = form?.elements.namedItem("consent_" + type) as
        HTMLInputElement | null | undefined;
      if (box) flags["consent_" + type] = box.checked;
    }
    // An object, not a command: no tag sends it anywhere by itself. The address is taken back from the layer's memory,
    // or it would travel with every later event of a tag manager.
    layer.push(
      {
        event: "crm_form_submit",
        form_type: formType,
        email,
        session_id: said.ga_session_id,
        submit_timestamp: said.timestamp,
        consent_marketing: word(flags.consent_marketing ?? win._crmConsent?.read()?.marketing),
        crm_user_id: userId(),
        source_page: said.source_page,
      },
      { email: undefined },
    );
    // Whoever is not signed in has no tags of their own: the answer is 401, and the consent goes on.
    void post({
      add: [formType + "_subscribed", formType + "_" + said.timestamp.slice(0, 10)],
      remove: [],
      ga_session_id: said.ga_session_id,
    });
    return post({
      method: formType + "_form",
      ...flags,
      form_type: formType,
      email,
      ...said,
    });
  };

  win._crmForms = { submit };
  const onSubmit = ({ target: form }: { target: HTMLFormElement }) => {
    const email = form.querySelector<HTMLInputElement>("[type=email],[name*=email i]");
    if (form.dataset.crmForm && email) void submit(form.dataset.crmForm, email.value, form);
  };
  // While it goes down: a form's own script may stop the event on its way up.
  document.addEventListener("submit", onSubmit as unknown as EventListener, true);
}

/** The token's own word for whose it is (its payload begins with `{"sub":"<number>"`); nobody decides anything by it here. */
const userId = () =>
  /"sub":"(\d+)/.exec(atob(/\.(\w{24})/.exec(sessionToken() ?? "")?.[1] ?? ""))?.[1];
