// What the service must hear is kept until it answered: a form's page may be left, a phone may be offline.
import { OUTBOX_KEY, VISITOR_KEY } from "../look.ts";
import { read, sessionToken, write } from "./browser-store.ts";
import { at, query, service, shop, tag, version } from "./loader-place.ts";

/** Path and JSON body in one text: `/ucp/tags{"add":…}`. */
type Item = string;

const KEPT = 20;
/** For a browser that keeps nothing. */
let held: Item[] = [];
const items = () => read<Item[]>(OUTBOX_KEY) ?? held;
const keep = (next: Item[]) => write(OUTBOX_KEY, (held = next));

/** @returns whether the service has it; what it refuses it has, too. */
async function send(item: Item, isAnonymous?: boolean): Promise<boolean> {
  const token = !isAnonymous && sessionToken();
  const path = item.split("{", 1)[0] as string;
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
        body: item.slice(path.length),
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
    return status === 401 && !isAnonymous && path[1] === "a"
      ? send(item, true)
      : status < 500 && status !== 429;
  } catch {
    return false;
  }
}

let sending = Promise.resolve();
export const flush = () =>
  (sending = sending.then(async () => {
    for (const item of items())
      if (await send(item)) keep(items().filter((other) => other !== item));
  }));

/** Sends in order, and again at the next page or when the browser is online. */
export function post(path: "/auth/consent-sync" | "/ucp/tags", body: object): Promise<void> {
  keep([...items(), path + JSON.stringify(body)].slice(-KEPT));
  return flush();
}

const cookie = (pattern: string) => RegExp(pattern).exec(document.cookie)?.[1];

/** The analytics product's ids and this browser's own, with what a record of consent needs. */
export function context() {
  const visitor = read<string>(VISITOR_KEY) ?? crypto.randomUUID();
  write(VISITOR_KEY, visitor);
  return {
    consent_id: crypto.randomUUID(),
    visitor_id: visitor,
    consent_version: version,
    // Two forms: GS1.1.<id>.… and GS2.1.s<id>$…
    ga_session_id: cookie(`_ga_${tag.slice(2) || "\\w+"}=GS\\d\\.1\\.s?(\\d+)`),
    ga_client_id: cookie("_ga=GA\\d\\.\\d\\.(\\d+\\.\\d+)"),
    timestamp: new Date().toISOString(),
    // An address's query may hold anything.
    source_page: location.origin + location.pathname,
  };
}
