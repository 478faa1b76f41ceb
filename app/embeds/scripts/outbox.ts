// What the service must hear is kept until it answered: a form's page may be left, a phone may be offline.
import { OUTBOX_KEY, SESSION_KEY, VISITOR_KEY } from "../look.ts";
import { attempt, read, write } from "./browser-store.ts";
import { at, ofStore, query, service, shop, tag, version } from "./loader-place.ts";

/** The JSON of a body. That of tags begins with what is added, which a consent never does. */
type Item = string;
type Tags = { add: string[]; remove: string[]; ga_session_id: string | undefined };
type Consent = Record<string, unknown> & { method: string };

const KEPT = 20;
/** For a browser that keeps nothing. */
let held: Item[] = [];
const outboxKey = OUTBOX_KEY + ofStore;
const items = () => read<Item[]>(outboxKey) ?? held;
const keep = (next: Item[]) => write(outboxKey, (held = next));

export const sessionToken = () =>
  attempt(() => sessionStorage[SESSION_KEY + ofStore] as string | undefined);

/** @returns whether the service has it; what it refuses it has, too. */
async function send(item: Item, isAnonymous?: boolean): Promise<boolean> {
  const token = !isAnonymous && sessionToken();
  const isConsent = item[2] !== "a";
  const path = isConsent ? "/auth/consent-sync" : "/ucp/tags";
  const post = async (address: string, credentials?: RequestCredentials) =>
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
  // Behind the proxy the store's own cookie says who is signed in there.
  const fromHere = () => post(at + path + query, token || isAnonymous ? undefined : "include");
  try {
    // The storefront's proxy may drop a token, so it goes straight to the service where that can be reached.
    const status = await (token
      ? post(service + path + "?shop=" + shop, "omit").catch(fromHere)
      : fromHere());
    // A session that has ended must not cost the choice; tags need one.
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
/** One frame at a time: what two of them sent at once would arrive twice. A browser without locks does without. */
export const flush = () =>
  (sending = sending.then(async () => {
    try {
      await navigator.locks.request(outboxKey, sendAll);
    } catch {
      await sendAll();
    }
  }));

/** Sends in order, and again at the next page or when the browser is online. */
export function post(body: Tags | Consent): Promise<void> {
  keep([...items(), JSON.stringify(body)].slice(-KEPT));
  return flush();
}

const cookie = (pattern: string) => RegExp(pattern).exec(document.cookie)?.[1];

/** The analytics product's ids and this browser's own, with what a record of consent needs. */
export function context() {
  const visitorKey = VISITOR_KEY + ofStore;
  const visitor = read<string>(visitorKey) ?? crypto.randomUUID();
  write(visitorKey, visitor);
  return {
    consent_id: crypto.randomUUID(),
    visitor_id: visitor,
    consent_version: version,
    // Two forms: GS1.1.<id>.… and GS2.1.s<id>$…
    ga_session_id: cookie(`_ga_${tag.slice(2) || "\\w+"}=GS..1.s?(\\d+)`),
    ga_client_id: cookie("_ga=GA....(\\d+.\\d+)"),
    timestamp: new Date().toISOString(),
    // An address's query may hold anything.
    source_page: location.origin + location.pathname,
  };
}
