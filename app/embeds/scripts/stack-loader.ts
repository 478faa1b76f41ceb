// Runs on every page of a store, before any tag (SPEC "Client consent bridge", DECISIONS 16). The order
// matters:
//   defaults -> stored choice, where GPC wins -> tags -> the page's own requests
import { CONSENT_KEY } from "../storage-keys.ts";
import { withAnswers } from "./choice-age.ts";
import { held, readChoice, TYPES, word, write } from "./browser-store.ts";
import { queueForms } from "./form-queue.ts";
import { basic, lifetime, ofStore, tag, version } from "./loader-place.ts";
import { context, flush, loadBridge, post } from "./outbox.ts";
import { hasGpc, win, type Flags } from "./window-globals.ts";

const layer = (win.dataLayer ||= []);
// Tags read commands only from an arguments object, not from an array.
function gtag(..._command: unknown[]): void {
  // oxlint-disable-next-line prefer-rest-params
  layer.push(arguments);
}
/** What the visitor did not decide is left out: the default holds. */
const signals = (cookie?: boolean, marketing?: boolean) => ({
  ...(cookie !== undefined && { analytics_storage: word(cookie) }),
  ...(marketing !== undefined && {
    ad_storage: word(marketing),
    ad_user_data: word(marketing),
    ad_personalization: word(marketing),
  }),
});

function start(): void {
  if (!win._crmDefaults)
    gtag("consent", "default", {
      ...signals(false, false),
      personalization_storage: "denied",
      functionality_storage: "granted",
      security_storage: "granted",
      wait_for_update: 500,
    });
  win.gtag ||= gtag;
  const consentKey = CONSENT_KEY + ofStore;
  const stored = (isAnyAge?: boolean) => readChoice(consentKey, !isAnyAge && lifetime);

  let isLoaded = false;
  let implied: Flags | undefined;
  const effective = (type: "cookie" | "marketing") => stored()?.[type] ?? implied?.[type];
  const apply = () => {
    const cookie = effective("cookie");
    const marketing = hasGpc ? false : effective("marketing");
    if (stored() || implied) gtag("consent", "update", signals(cookie, marketing));
    if (isLoaded || !tag || (basic && !cookie && !marketing)) return;
    isLoaded = true;
    gtag("js", new Date());
    gtag("config", tag);
    const script = document.createElement("script");
    script.src = "https://www.googletagmanager.com/gtag/js?id=" + tag;
    document.head.append(script);
  };
  const tell = (name: string) => document.dispatchEvent(new Event("crm:" + name));

  const choose = (flags: Flags, method = "banner", isRecorded = false) => {
    if (hasGpc && flags.marketing) flags.marketing = false;
    const body: Record<string, unknown> & { method: string } = { method, ...context() };
    const next = withAnswers(stored(), flags, version, body.timestamp as string, stored(true));
    const isStored = write(consentKey, next);
    apply();
    const event: Record<string, unknown> = { event: "consent_update", consent_method: method };
    for (const type of TYPES) {
      event["consent_" + type] = word(next[type] ?? implied?.[type]);
      body["consent_" + type] = flags[type];
    }
    layer.push(event);
    const isSent = isRecorded || post(body);
    // Also the storefront's own record follows (platform-consent.ts).
    tell("choice");
    return isStored || isSent;
  };

  const follow = () => {
    apply();
    tell("choice");
  };
  // The choice changed in another tab.
  addEventListener("storage", ({ key }) => {
    if (key !== consentKey) return;
    delete held[key];
    follow();
  });
  // The page comes back as it was left, without what happened in between.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    follow();
    void flush();
  });

  apply();
  if (!win._crmForms) queueForms();
  loadBridge();
  void flush();
  win._crmConsent = {
    read: stored,
    choose,
    holds: effective,
    imply(flags) {
      implied = flags;
      apply();
    },
  };
  tell("ready");
}

if (!win._crmConsent) start();
