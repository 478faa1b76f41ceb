// An outbox: a request stays stored until the service has answered it, because the page may be left
// or the phone may be offline. This part keeps the requests; stack-bridge.ts, which the loader loads
// after the tags, sends them.
import { OUTBOX_KEY, SESSION_KEY, VISITOR_KEY } from "../storage-keys.ts";
import { attempt, put, read, write } from "./browser-store.ts";
import {
  at,
  customer,
  ofStore,
  query,
  bridgeScript,
  service,
  shop,
  tag,
  version,
} from "./loader-place.ts";
import { win, type LoaderAccess, type OutboxBody, type OutboxItem } from "./window-globals.ts";

const MAX_KEPT_EVENTS = 20;
const outboxKey = OUTBOX_KEY + ofStore;

/** What storage did not take waits for this page, and what is stored stays. */
let unstored: OutboxItem[] = [];
function stored(): OutboxItem[] {
  const kept = read<OutboxItem[]>(outboxKey);
  return Array.isArray(kept) ? kept : [];
}
const items = () => [...stored(), ...unstored];
function keep(next: OutboxItem[]): void {
  unstored = [];
  if (put(outboxKey, next)) return;
  const isStored = ({ id }: OutboxItem) => stored().some((one) => one.id === id);
  unstored = next.filter((one) => !isStored(one));
  // Without what is sent: it takes less room than before.
  put(outboxKey, next.filter(isStored));
}

const sessionToken = () =>
  attempt(() => sessionStorage[SESSION_KEY + ofStore] as string | undefined);

/**
 * The subject as the token's payload states it (`{"sub":"<number>"`), unverified: it decides what is
 * sent, never what is allowed.
 */
const userId = (token = sessionToken()) =>
  attempt(() => /"sub":"(\d+)/.exec(atob(/\.(\w{24})/.exec(token as string)?.[1] as string))?.[1]);

const loader: LoaderAccess = {
  items,
  keep,
  post,
  context,
  sessionToken,
  userId,
  place: [at, query, service, shop, customer, outboxKey],
};

let loaded: Promise<unknown> | undefined;
export function loadBridge(): void {
  win._crmLoader = loader;
  const script = document.createElement("script");
  loaded = new Promise((done) => {
    // Shorter for every shopper, and the script is nobody else's.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    script.onload = script.onerror = done;
  });
  script.src = bridgeScript;
  document.head.append(script);
}

/** Sends what is stored, in order; what stays is sent on the next page or when the browser is online. */
export async function flush(): Promise<void> {
  await loaded;
  await loader.send?.();
}

/** Returns whether the service has answered. */
export async function post(
  body: OutboxBody,
  by = userId() ?? customer ?? "",
  at = Date.now(),
): Promise<boolean> {
  const id = crypto.randomUUID();
  const item = { id, by, at, body };
  keep([...items(), item].slice(-MAX_KEPT_EVENTS));
  await flush();
  return !items().some((one) => one.id === id);
}

const cookie = (pattern: string) => RegExp(pattern).exec(document.cookie)?.[1];

/** The analytics product's ids and this browser's own, for the consent record. */
export function context() {
  const visitorKey = VISITOR_KEY + ofStore;
  const visitor = /^[\w-]{36}$/.exec(read(visitorKey) as string)?.[0] ?? crypto.randomUUID();
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
