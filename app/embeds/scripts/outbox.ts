// An outbox: a request stays stored until the service has answered it, because the page may be left
// or the phone may be offline.
import { OUTBOX_KEY, SESSION_KEY, VISITOR_KEY } from "../storage-keys.ts";
import { attempt, read, write } from "./browser-store.ts";
import { at, ofStore, query, service, shop, tag, version } from "./loader-place.ts";

/** A JSON body. The body of tags begins with `added`, which a consent's never does. */
type Item = string;
type Tags = { add: string[]; remove: string[]; ga_session_id: string | undefined };
type Consent = Record<string, unknown> & { method: string };

const MAX_KEPT_EVENTS = 20;
/** Fallback for a browser without storage. */
let held: Item[] = [];
const outboxKey = OUTBOX_KEY + ofStore;
const items = () => read<Item[]>(outboxKey) ?? held;
const keep = (next: Item[]) => write(outboxKey, (held = next));

export const sessionToken = () =>
  attempt(() => sessionStorage[SESSION_KEY + ofStore] as string | undefined);

/** Returns whether the item is done: accepted, or rejected for good. */
async function send(item: Item, isAnonymous?: boolean): Promise<boolean> {
  const token = !isAnonymous && sessionToken();
  const isConsent = item[2] !== "a";
  const path = isConsent ? "/auth/consent-sync" : "/ucp/tags";
  const request = async (address: string, credentials?: RequestCredentials) =>
    (
      await fetch(address, {
        method: "POST",
        keepalive: true,
        credentials,
        headers: {
          "Content-Type": "application/json",
          ...(token && { Authorization: "Bearer " + token }),
        },
        body: item,
      })
    ).status;
  // Through the proxy, the store's own cookie identifies the signed-in customer.
  const fromHere = () => request(at + path + query, token || isAnonymous ? undefined : "include");
  try {
    // The storefront's proxy may drop a token, so a request with one goes to the service directly where
    // possible.
    const status = await (token
      ? request(service + path + "?shop=" + shop, "omit").catch(fromHere)
      : fromHere());
    // A consent is sent again without the ended session; tags need one.
    return status === 401 && !isAnonymous && isConsent
      ? send(item, true)
      : status < 500 && status !== 429;
  } catch {
    return false;
  }
}

async function sendAll(): Promise<void> {
  for (const item of items()) if (await send(item)) keep(items().filter((other) => other !== item));
}

let sending = Promise.resolve();
/**
 * One frame at a time (Web Locks), so that two frames do not send an item twice. Browsers without
 * locks send unlocked.
 */
export const flush = () =>
  (sending = sending.then(async () => {
    try {
      await navigator.locks.request(outboxKey, sendAll);
    } catch {
      await sendAll();
    }
  }));

/**
 * Sends the stored items in order; retries on the next page or when the browser is online again.
 */
export function post(body: Tags | Consent): Promise<void> {
  keep([...items(), JSON.stringify(body)].slice(-MAX_KEPT_EVENTS));
  return flush();
}

const cookie = (pattern: string) => RegExp(pattern).exec(document.cookie)?.[1];

/** The analytics product's ids and this browser's own, for the consent record. */
export function context() {
  const visitorKey = VISITOR_KEY + ofStore;
  const visitor = read<string>(visitorKey) ?? crypto.randomUUID();
  write(visitorKey, visitor);
  return {
    consent_id: crypto.randomUUID(),
    visitor_id: visitor,
    consent_version: version,
    // Two cookie formats: GS1.1.<id>.… and GS2.1.s<id>$…
    ga_session_id: cookie(`_ga_${tag.slice(2) || "\\w+"}=GS..1.s?(\\d+)`),
    ga_client_id: cookie("_ga=GA....(\\d+.\\d+)"),
    timestamp: new Date().toISOString(),
    // Without the query: it may contain personal data.
    source_page: location.origin + location.pathname,
  };
}
