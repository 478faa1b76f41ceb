// The loader's second part: what need not run before the first tag. It sends what the outbox keeps, and
// connects the forms.
import { bridgeForms } from "./form-bridge.ts";
import { createSender } from "./outbox-sender.ts";
import type { StoreWindow } from "./window-globals.ts";

const win = window as StoreWindow;
const loader = win._crmLoader;
// Once per page.
if (loader && !loader.send) {
  loader.send = createSender(loader);
  bridgeForms(win, loader);
}
