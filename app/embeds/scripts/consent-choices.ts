// The banner, the preferences and the compliance page: wires every `data-crm` element. It uses the
// loader's public API only and may run before the loader.
import { countAnswer, countShown } from "./count-answers.ts";
import {
  readAllowed,
  readNewest,
  readPlace,
  reconcile,
  startPlatform,
} from "./platform-consent.ts";
import { hasGpc, type Choice, type ConsentApi, win } from "./window-globals.ts";

const all = <E extends HTMLElement>(selector: string) => document.querySelectorAll<E>(selector);
const first = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector);

/** How long the confirmation of a choice stays over the page. */
const CONFIRMATION_MS = 6_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let isImplied = false;

/** Whether it leaves a question open that was answered before, too long ago. */
const hasEndedPart = ({ ended, cookie, marketing }: Choice) =>
  !!ended && (cookie === undefined || marketing === undefined);

function show(): void {
  const consent = win._crmConsent;
  const choice = consent?.read();
  const newest = readNewest();
  const place = readPlace(newest);
  const isFree = place && !place.isAsked;
  // Also beside a choice that leaves something open, as the one about the sale of data does.
  if (isFree && !isImplied && (!choice || choice.cookie === undefined)) {
    isImplied = true;
    consent?.imply?.(readAllowed());
  }
  const banner = first(".crm-banner");
  if (banner) {
    // Asks again when the choice is too old, also in part, or was made with another policy version.
    banner.hidden =
      !consent ||
      !place?.isAsked ||
      (!!choice && !hasEndedPart(choice) && (choice.version ?? "") === banner.dataset.version);
    // Reserves the banner's height, so that a focused element is never hidden behind it.
    document.documentElement.style.scrollPaddingBottom = document.body.style.paddingBottom =
      banner.hidden ? "" : banner.offsetHeight + "px";
    openBanner(banner);
    countShown(banner);
  }
  // No box is ticked in advance, except where a region's rules allow it without a question.
  const shown = choice ?? (isFree && readAllowed());
  for (const box of all<HTMLInputElement>("[data-crm-box]")) {
    const isBarred = box.dataset.crmBox === "marketing" && hasGpc;
    box.checked =
      !isBarred && !!shown && shown[box.dataset.crmBox as "cookie" | "marketing"] === true;
    box.disabled = isBarred;
  }
  for (const note of all("[data-crm-gpc]")) note.hidden = !hasGpc;
  for (const button of all("[data-crm=withdraw]"))
    button.hidden = !choice?.cookie && !choice?.marketing;
  for (const link of all("[data-crm=sale]"))
    link.hidden = !place?.hasSaleLink || hasGpc || newest?.marketing === false;
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
  const isGranted = act === "accept";
  const dialog = first<HTMLDialogElement>(".crm-dialog");
  countAnswer(first(".crm-banner"), act);
  const isSaved =
    act === "sale"
      ? consent.choose({ marketing: false }, "sale-opt-out")
      : consent.choose(
          act === "save"
            ? { cookie: isOn("cookie"), marketing: isOn("marketing") }
            : { cookie: isGranted, marketing: isGranted },
          button.closest<HTMLElement>("[data-method]")?.dataset.method,
        );
  if (dialog?.open) dialog.close();
  // The pressed button is gone: the focus goes to the link that opens the choices again.
  if (!button.offsetParent) first(".crm-links [data-crm=choose]")?.focus({ preventScroll: true });
  if (consent.isPreview) return;
  // Where this browser stores nothing, the service's answer is awaited.
  if (isSaved === true) confirmSaved();
  else void Promise.resolve(isSaved).then((isSent) => isSent && confirmSaved());
}

function confirmSaved(): void {
  for (const status of all(".crm-status")) status.textContent = status.dataset.text ?? "";
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const toast of all(".crm-toast")) toast.textContent = "";
  }, CONFIRMATION_MS);
}

function start(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-crm]");
    if (!button) return;
    const dialog = first<HTMLDialogElement>(".crm-dialog");
    for (const status of all(".crm-status")) status.textContent = "";
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
  for (const moment of ["crm:choice", "crm:ready"])
    document.addEventListener(moment, () => {
      show();
      reconcile(moment === "crm:choice");
    });
  startPlatform(show);
}

/** Wires what is in the page now: the theme adds the footer and the pages when they are there. */
function mount(): void {
  // The banner becomes the body's first element, so that the keyboard reaches it first and the
  // theme's footer does not hide it.
  const banner = first(".crm-banner");
  if (banner && banner.parentElement !== document.body) document.body.prepend(banner);
  show();
}

// A page may run this script several times: the first one works for all.
if (!win._crmChoices) {
  win._crmChoices = mount;
  start();
}
win._crmChoices();
