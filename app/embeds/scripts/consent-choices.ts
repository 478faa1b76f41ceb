// The banner, the preferences and the compliance page: whatever carries `data-crm` acts. Knows the loader by what it
// offers, and may run before it.
import type { ConsentApi, StoreWindow } from "./store-window.ts";

const win = window as StoreWindow & { _crmChoices?: true };
const all = <E extends HTMLElement>(selector: string) => document.querySelectorAll<E>(selector);
const first = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector);

function show(): void {
  const choice = win._crmConsent?.read();
  const hasGpc = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
  const banner = first(".crm-banner");
  if (banner) {
    // Asked again when the policy is another one than the choice was about.
    banner.hidden = Boolean(choice) && (choice?.version ?? "") === banner.dataset.version;
    // What gets the focus below must not lie under the banner, at the end of the page neither.
    document.documentElement.style.scrollPaddingBottom = document.body.style.paddingBottom =
      banner.hidden ? "" : banner.offsetHeight + "px";
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
  consent.choose(flags, button.closest<HTMLElement>("[data-method]")?.dataset.method);
  if (dialog?.open) {
    dialog.close();
    // The browser gives the focus back to what opened the dialog, unless that went with the banner.
    if (!(document.activeElement as HTMLElement).offsetParent)
      first(".crm-links [data-crm=choose]")?.focus({ preventScroll: true });
  }
  for (const status of all(".crm-status")) status.textContent = status.dataset.said ?? "";
}

function start(): void {
  win._crmChoices = true;
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-crm]");
    if (!button) return;
    const dialog = first<HTMLDialogElement>(".crm-dialog");
    if (button.dataset.crm === "choose") {
      // Without a dialog the link leads to the page with the same choices.
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
// The banner stands first on the page, where a keyboard finds it, and belongs to the page and not to the theme's footer.
const banner = first(".crm-banner");
if (banner) document.body.prepend(banner);
if (win._crmConsent) show();
