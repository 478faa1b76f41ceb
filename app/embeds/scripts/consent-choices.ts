// The banner, the preferences and the compliance page: wires every `data-crm` element. It uses the
// loader's public API only and may run before the loader.
import { countAnswer, countShown } from "./count-answers.ts";
import type { ConsentApi, StoreWindow } from "./window-globals.ts";

const win = window as StoreWindow & { _crmChoices?: true };
const all = <E extends HTMLElement>(selector: string) => document.querySelectorAll<E>(selector);
const first = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector);

function show(): void {
  const choice = win._crmConsent?.read();
  const hasGpc = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
  const banner = first(".crm-banner");
  if (banner) {
    // Asks again when the policy version differs from the one of the stored choice.
    banner.hidden = Boolean(choice) && (choice?.version ?? "") === banner.dataset.version;
    // Reserves the banner's height, so that a focused element is never hidden behind it.
    document.documentElement.style.scrollPaddingBottom = document.body.style.paddingBottom =
      banner.hidden ? "" : banner.offsetHeight + "px";
    openBanner(banner);
    countShown(banner);
  }
  for (const box of all<HTMLInputElement>("[data-crm-box]")) {
    const isBarred = box.dataset.crmBox === "marketing" && hasGpc;
    box.checked = !isBarred && choice?.[box.dataset.crmBox as "cookie" | "marketing"] === true;
    box.disabled = isBarred;
  }
  for (const note of all("[data-crm-gpc]")) note.hidden = !hasGpc;
  for (const button of all("[data-crm=withdraw]"))
    button.hidden = !choice?.cookie && !choice?.marketing;
  for (const part of all("[data-crm-script]")) part.hidden = false;
  for (const part of all("[data-crm-plain]")) part.hidden = true;
}

/** In the centre it is a dialog: it takes the focus, and the page behind it waits. */
function openBanner(banner: HTMLElement): void {
  if (!(banner instanceof HTMLDialogElement) || banner.open !== banner.hidden) return;
  if (banner.hidden) return banner.close();
  // Closed with the Escape key, it stays closed until the next page.
  if ("closed" in banner.dataset) return;
  banner.addEventListener("cancel", () => (banner.dataset.closed = ""));
  document.documentElement.style.scrollPaddingBottom = document.body.style.paddingBottom = "";
  banner.showModal();
  banner.querySelector("h2")?.focus();
}

function decide(button: HTMLElement, consent: ConsentApi): void {
  const place = button.closest("form") ?? document;
  const isOn = (name: string) =>
    place.querySelector<HTMLInputElement>(`[data-crm-box=${name}]`)?.checked === true;
  const act = button.dataset.crm;
  const flags =
    act === "save"
      ? { cookie: isOn("cookie"), marketing: isOn("marketing") }
      : { cookie: act === "accept", marketing: act === "accept" };
  const dialog = first<HTMLDialogElement>(".crm-dialog");
  countAnswer(first(".crm-banner"), act);
  consent.choose(flags, button.closest<HTMLElement>("[data-method]")?.dataset.method);
  if (dialog?.open) {
    dialog.close();
    // The browser returns the focus to the element that opened the dialog, unless the banner with it is
    // hidden.
    if (!(document.activeElement as HTMLElement).offsetParent)
      first(".crm-links [data-crm=choose]")?.focus({ preventScroll: true });
  }
  for (const status of all(".crm-status")) status.textContent = status.dataset.text ?? "";
}

function start(): void {
  win._crmChoices = true;
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-crm]");
    if (!button) return;
    const dialog = first<HTMLDialogElement>(".crm-dialog");
    if (button.dataset.crm === "choose") {
      // Without dialog support the link opens the page with the same choices.
      if (!dialog) return;
      event.preventDefault();
      show();
      dialog.showModal();
    } else if (win._crmConsent) {
      event.preventDefault();
      decide(button, win._crmConsent);
    }
  });
  for (const moment of ["crm:choice", "crm:ready"]) document.addEventListener(moment, show);
}

if (!win._crmChoices) start();
// The banner becomes the body's first element, so that the keyboard reaches it first and the
// theme's footer does not hide it.
const banner = first(".crm-banner");
if (banner) document.body.prepend(banner);
if (win._crmConsent) show();
