// The loader's second part: what need not run before the first tag. It sends what the outbox keeps, connects
// the forms, and starts the scripts of others that waited for consent.
import { CONSENT_KEY, OUTBOX_KEY } from "../storage-keys.ts";
import { put } from "./browser-store.ts";
import { bridgeForms } from "./form-bridge.ts";
import { activateMarked } from "./marked-scripts.ts";
import { createSender } from "./outbox-sender.ts";
import { win } from "./window-globals.ts";

const loader = win._crmLoader;

/**
 * A choice whose time is missing, unreadable or still to come is as old as this visit, so that it ends
 * too. A store's own script may write one without a time.
 */
function dateChoice(outboxKey: string): void {
  const choice = win._crmConsent?.read(true);
  if (choice && !(Date.parse(choice.at as string) <= Date.now()))
    put(outboxKey.replace(OUTBOX_KEY, CONSENT_KEY), { ...choice, at: new Date().toISOString() });
}

// Once per page.
if (loader && !loader.send) {
  dateChoice(loader.place[5]);
  const send = (loader.send = createSender(loader));
  addEventListener("online", () => void send());
  bridgeForms(win, loader);
  if (win._crmConsent) activateMarked(win._crmConsent);
}
