// Sends the events of one visit while the visitor allows analytics: each event once, and no more than
// MAX_EVENTS. No failure reaches the page.
import { EVENT_NAMES, toMessage, type PlatformEvent } from "./to-message.ts";

type Privacy = { analyticsProcessingAllowed: unknown };

/** shopify.dev "Web Pixels API", as far as it is used here. */
export type PixelApi = {
  settings: Record<string, unknown>;
  init: { customerPrivacy: Privacy };
  analytics: { subscribe(name: string, callback: (event: unknown) => void): unknown };
  customerPrivacy: {
    subscribe(
      name: "visitorConsentCollected",
      callback: (event: { customerPrivacy: Privacy }) => void,
    ): unknown;
  };
  browser: {
    sessionStorage: {
      getItem(key: string): Promise<string | null>;
      setItem(key: string, value: string): Promise<unknown>;
    };
  };
};

const MAX_EVENTS = 40;
/** The ids of the events that were sent in this visit, separated by spaces. */
const SENT = "crm_pixel_sent";
/** A random id, which joins the events of one visit. It exists once one of them is sent. */
const VISIT = "crm_pixel_visit";

export function startPixel({
  settings,
  init,
  analytics,
  customerPrivacy,
  browser,
}: PixelApi): void {
  const { accountID: key, endpoint } = settings;
  if (typeof key !== "string" || typeof endpoint !== "string") return;
  const address = `${endpoint}&key=${encodeURIComponent(key)}`;
  let isAllowed = init.customerPrivacy.analyticsProcessingAllowed === true;
  let sent: Promise<Set<string>> | null = null;
  let visit: Promise<string> | null = null;

  const readSent = async () => {
    try {
      const kept = await browser.sessionStorage.getItem(SENT);
      return new Set(kept ? kept.split(" ") : []);
    } catch {
      return new Set<string>();
    }
  };

  const readVisit = async () => {
    // Not `randomUUID`, which a page without https does not have.
    const made = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
    try {
      const kept = await browser.sessionStorage.getItem(VISIT);
      if (kept) return kept;
      await browser.sessionStorage.setItem(VISIT, made);
    } catch {
      // Without storage the page's events are one visit.
    }
    return made;
  };

  const send = async (event: PlatformEvent) => {
    const message = toMessage(event);
    if (!isAllowed || !message) return;
    const ids = await (sent ??= readSent());
    message.payload.visit = await (visit ??= readVisit());
    const { id } = message.payload;
    if (!isAllowed || ids.has(id) || ids.size >= MAX_EVENTS) return;
    ids.add(id);
    // Plain text without CORS needs no preflight, so that the event outlives the page. The answer is not read.
    await Promise.allSettled([
      fetch(address, {
        method: "POST",
        mode: "no-cors",
        credentials: "omit",
        keepalive: true,
        body: JSON.stringify(message),
      }),
      browser.sessionStorage.setItem(SENT, [...ids].join(" ")),
    ]);
  };

  customerPrivacy.subscribe("visitorConsentCollected", (event) => {
    isAllowed = event.customerPrivacy.analyticsProcessingAllowed === true;
  });
  for (const name of EVENT_NAMES)
    analytics.subscribe(name, (event) => {
      send(event as PlatformEvent).catch(() => {});
    });
}
