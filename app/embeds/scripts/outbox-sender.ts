// Sends what the loader keeps in its outbox (outbox.ts), oldest first.
//
//   not answered by the service  -> nothing after it is sent, so that an older choice never arrives last
//   made by somebody else        -> it is sent without a session, and kept until that account is back
//   overruled by a newer choice  -> the flag is left out
//   refused elsewhere meanwhile  -> the service ignores the grant, and this browser refuses too
import { attempt, TYPES } from "./browser-store.ts";
import type { Flags, LoaderAccess, OutboxItem, StoreWindow } from "./window-globals.ts";

const MAX_AGE_MS = 30 * 86_400_000;
/** Answers that are not the service's own, as of a store behind its password. */
const MAX_FOREIGN_ANSWERS = 20;
/** The service's limits count for an hour at most. */
const MAX_PAUSE_S = 3_600;
/** The service has not decided: it answers differently later. */
const UNDECIDED = [401, 408, 409, 423, 429];
/** The index of the outbox's key in the loader's `place`; the key names the lock too. */
const KEY_AT = 5;
const FLAGS = TYPES.map((type) => "consent_" + type);

type Outcome = "done" | "waits" | "stop";
type Token = string | null | undefined;
type Answer = {
  ok?: unknown;
  code?: unknown;
  recorded?: { consent_type: string; action: string }[];
  ignored?: string[];
};
type Sent = [outcome: Outcome, answer?: Answer];
let pausedUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** An item of an earlier version is the body alone, as text. */
function toItem(kept: unknown): OutboxItem[] {
  const item = (
    typeof kept === "string"
      ? {
          id: kept,
          by: "",
          at: performance.timeOrigin - 1,
          body: attempt(() => JSON.parse(kept) as unknown),
        }
      : kept
  ) as OutboxItem | null;
  const isWhole = !!item?.id && typeof item.body === "object" && !!item.body;
  return isWhole && Date.now() - item.at < MAX_AGE_MS ? [item] : [];
}

/** A person's later choice counts; a later refusal counts for everybody's grants in this browser. */
const isOverruled = (old: OutboxItem, flag: string, later: readonly OutboxItem[]): boolean =>
  later.some(
    ({ by, body }) =>
      typeof body[flag] === "boolean" &&
      !body.email &&
      (by === old.by || (!body[flag] && old.body[flag] === true)),
  );

function withoutOverruled(item: OutboxItem, later: readonly OutboxItem[]): OutboxItem[] {
  const { body, by } = item;
  // The consent of an address alone is not the visitor's.
  if (body.email && !by) return [item];
  const overruled = FLAGS.filter(
    (flag) => typeof body[flag] === "boolean" && isOverruled(item, flag, later),
  );
  if (!overruled.length) return [item];
  const rest = Object.fromEntries(
    Object.entries(body).filter(([name]) => !overruled.includes(name)),
  );
  return body.form_type || FLAGS.some((flag) => typeof rest[flag] === "boolean")
    ? [{ ...item, body: rest }]
    : [];
}

const sound = ({ items }: LoaderAccess): OutboxItem[] =>
  items()
    .flatMap(toItem)
    .flatMap((item, index, all) => withoutOverruled(item, all.slice(index + 1)));

/**
 * The service's own answer is JSON, and an error has a code. A limit says how long to wait. Null: it has
 * not decided.
 */
async function readAnswer(
  response: Response,
  isFinalWithoutSession: boolean,
): Promise<Answer | null> {
  const { status, headers } = response;
  const seconds = Number(headers.get("Retry-After"));
  if (seconds > 0) pausedUntil = Date.now() + Math.min(seconds, MAX_PAUSE_S) * 1_000;
  if (status >= 500) return null;
  const json = (await response.json().catch(() => null)) as Answer | null;
  const isAnswer = response.ok
    ? json?.ok === true
    : typeof json?.code === "string" &&
      (!UNDECIDED.includes(status) || (status === 401 && isFinalWithoutSession));
  return isAnswer ? json : null;
}

/** The account's newer refusals hold in this browser too, except what was chosen here since. */
function adopt(outbox: LoaderAccess, { id, by, at, body }: OutboxItem, { ignored }: Answer): void {
  const consent = (window as StoreWindow)._crmConsent;
  const choice = consent?.read();
  const flags: Flags = {};
  // A form is no choice of this browser; what was done without a sign-in is decided in this browser alone.
  if (by && !body.form_type)
    for (const type of TYPES)
      if (
        ignored?.includes(type) &&
        choice?.[type] &&
        !outbox
          .items()
          .some((one) => one.id !== id && one.at >= at && one.body["consent_" + type] !== undefined)
      )
        flags[type] = false;
  if (Object.keys(flags).length) void consent?.choose(flags, "account", true);
}

/**
 * A refusal that waited too is recorded only now, before a grant that the same person made after it: the
 * grant has waited since then.
 */
function afterOwnRefusal(one: OutboxItem, by: string, { recorded }: Answer): OutboxItem {
  const granted = TYPES.filter((type) => one.body["consent_" + type] === true);
  const isOwn = (type: string) =>
    recorded?.some((row) => row.consent_type === type && row.action === "revoked");
  return one.by === by && granted.length && granted.every(isOwn)
    ? { ...one, since: Date.now() }
    : one;
}

function post(
  { body, since, at }: OutboxItem,
  address: string,
  credentials: RequestCredentials,
  token: Token,
  actedBy?: string,
): Promise<Response> {
  return fetch(address, {
    method: "POST",
    keepalive: true,
    credentials,
    headers: {
      "Content-Type": "application/json",
      ...(token && { Authorization: "Bearer " + token }),
    },
    body: JSON.stringify({
      ...body,
      acted_by: actedBy,
      // A duration: the browser's clock need not be right.
      waited_seconds: body.method
        ? Math.max(0, Math.round((Date.now() - (since ?? at)) / 1_000))
        : undefined,
    }),
  });
}

/** Counts the answers that are not the service's own. */
async function read(
  item: OutboxItem,
  response: Response,
  isFinalWithoutSession: boolean,
): Promise<Answer | null> {
  const answer = await readAnswer(response, isFinalWithoutSession);
  if (!answer && response.status < 500 && !UNDECIDED.includes(response.status))
    item.foreign = (item.foreign ?? 0) + 1;
  return answer;
}

async function send(outbox: LoaderAccess, item: OutboxItem): Promise<Sent> {
  const { body, by, isCopied } = item;
  const [at, query, service, shop, customer] = outbox.place;
  const token = by && by === outbox.userId() ? outbox.sessionToken() : null;
  const path = body.method ? "/auth/consent-sync" : "/ucp/tags";
  const fromHere = (credentials: RequestCredentials, bearer?: Token, actedBy?: string) =>
    post(item, at + path + query, credentials, bearer, actedBy);

  // The storefront's proxy may drop a token, so a request with one goes to the service directly where
  // possible; without one, the store's own cookie identifies the customer. Since the page was opened somebody
  // else may be signed in, which the service knows: it records nothing then. A page that does not know who is
  // signed in leaves that open.
  const asActor = () =>
    token
      ? post(item, service + path + "?shop=" + shop, "omit", token).catch(() =>
          fromHere("same-origin", token, by),
        )
      : fromHere("include", null, by || customer);
  // What was done without a sign-in goes with cookies from its own page only: a session that began later is
  // another person's.
  const isActorHere = token || (by ? by === customer : item.at >= performance.timeOrigin);
  try {
    if (isActorHere) {
      const response = await asActor();
      const answer = await read(item, response, !by);
      if (answer) {
        adopt(outbox, item, answer);
        return ["done", answer];
      }
      const isSomebodyElse = response.status === 409 || (by && response.status === 401);
      if (!isSomebodyElse) return ["stop"];
    }
    if (by && (isCopied || !body.method)) return ["waits"];
    if (!(await read(item, await fromHere("omit"), true))) return ["stop"];
    item.isCopied = true;
    return [by ? "waits" : "done"];
  } catch {
    return ["stop"];
  }
}

async function sendAll(outbox: LoaderAccess): Promise<void> {
  // What a newer choice overrules leaves the storage at once: the newer one may have found no room there.
  if (outbox.items().length) outbox.keep(sound(outbox));
  if (Date.now() < pausedUntil) return;
  const put = (id: string, next: OutboxItem[], answered: (one: OutboxItem) => OutboxItem) =>
    outbox.keep(sound(outbox).flatMap((one) => (one.id === id ? next : [answered(one)])));
  for (const { id } of sound(outbox)) {
    // As it is now: a choice may have been made since.
    const item = sound(outbox).find((one) => one.id === id);
    if (!item) continue;
    const [outcome, answer] = await send(outbox, item);
    const isGivenUp = outcome === "done" || (item.foreign ?? 0) >= MAX_FOREIGN_ANSWERS;
    put(id, isGivenUp ? [] : [item], (one) =>
      answer ? afterOwnRefusal(one, item.by, answer) : one,
    );
    if (outcome === "stop" && !isGivenUp) break;
  }
  clearTimeout(timer);
  const pause = pausedUntil - Date.now();
  if (pause > 0) timer = setTimeout(() => void outbox.send?.(), pause);
}

/**
 * Returns what sends everything that waits. One frame at a time (Web Locks), so that two frames do not
 * send an item twice. Browsers without locks send unlocked.
 */
export function createSender(outbox: LoaderAccess): () => Promise<void> {
  let sending = Promise.resolve();
  const sendAllSafely = () => sendAll(outbox).catch(() => {});
  return () =>
    (sending = sending.then(async () => {
      try {
        await navigator.locks.request(outbox.place[KEY_AT], sendAllSafely);
      } catch {
        await sendAllSafely();
      }
    }));
}
