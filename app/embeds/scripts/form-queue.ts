// Keeps the forms that are submitted before stack-bridge.ts is there. The theme's page has done so since
// its head (extensions/consent-footer/blocks/consent.liquid).
import { win, type FormSubmission } from "./window-globals.ts";

export function queueForms(): void {
  const waiting: FormSubmission[] = [];
  // A copy, because the page may empty the form meanwhile.
  const submit = async (name?: string, email?: string, form?: HTMLFormElement) =>
    name && waiting.push([name, email, form?.cloneNode(true) as HTMLFormElement]);
  win._crmForms = { waiting, submit };
  document.addEventListener(
    "submit",
    ({ target }) =>
      win._crmForms?.waiting &&
      void submit((target as HTMLElement).dataset.crmForm, undefined, target as HTMLFormElement),
    true,
  );
}
