// The session of this page, and every call made with it.
//
// Where the browser keeps our cookie, the cookie is the session and no script can read it. Where it
// does not (a frame in the store's page, the store's own origin), the token is in sessionStorage:
// scoped to the tab and origin, and sent as a bearer token without cookies. It is never in
// localStorage and never in an address.
import { SESSION_KEY } from "../storage-keys.ts";
import { DATA, WORDS } from "./page-data.ts";

// The service's own origin is shared by all stores: there a key names its store (loader-place.ts
// does the same).
export const OF_STORE = DATA.proxy === null ? `:${DATA.shop}` : "";
const TOKEN = SESSION_KEY + OF_STORE;
/**
 * Storage key of the hand-off verifier of a tab that started a sign-in; scripts/theme-script.ts uses the same
 * key.
 */
const VERIFIER = `crm_sign_in${OF_STORE}`;
let token: string | null = null;

export type Answer = {
  status: number;
  json: Record<string, unknown>;
  text: string;
  code: string;
  fields: Record<string, string>;
};
export type Call = { method?: string; body?: unknown };

const store = () => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
};

function setToken(value: string | null): void {
  token = value;
  if (value) store()?.setItem(TOKEN, value);
  else store()?.removeItem(TOKEN);
}

/** Returns any response of the service; throws when there is none, whole, or when another page answered. */
async function request(
  address: string,
  { method = "GET", body }: Call,
  headers: Record<string, string>,
  credentials: RequestCredentials,
): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      method,
      credentials,
      cache: "no-store",
      headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch {
    throw new Error(WORDS.offline);
  }
  // The service answers no call with a page: it is a proxy's, or the store's own, whatever its status says.
  if (response.headers.get("Content-Type")?.startsWith("text/html")) throw new Error(WORDS.failed);
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // The response is a file or empty.
  }
  return {
    status: response.status,
    json,
    text,
    code: typeof json.code === "string" ? json.code : "",
    fields: (json.fields ?? {}) as Record<string, string>,
  };
}

const addressOf = (path: string) =>
  `${DATA.api}${path}${path.includes("?") ? "&" : "?"}shop=${encodeURIComponent(DATA.shop)}`;
/**
 * The cookie is used on the service's own pages only: elsewhere it would be a third-party cookie.
 */
const isOwnPage = () => location.origin === DATA.serviceOrigin;
const cookies = (): RequestCredentials => (isOwnPage() ? "same-origin" : "omit");

/** Posts without a bearer token: sign-in, sign-up, password reset and session exchange. */
export const postWithoutSession = (path: string, body: unknown): Promise<Answer> =>
  request(addressOf(path), { method: "POST", body }, {}, cookies());

/** Posts through the storefront's proxy, which identifies the customer. */
export const postThroughProxy = (path: string, body: unknown): Promise<Answer> =>
  request(`${DATA.proxy}${path}`, { method: "POST", body }, {}, "same-origin");

const REFUSED_BUT_SIGNED_IN = ["invalid_credentials", "reauth_required"];
let onOver: () => void = () => undefined;
export const onSessionOver = (act: () => void): void => void (onOver = act);

/**
 * Calls with the session. When the session has ended, the page's `onSessionOver` callback runs and
 * the call throws.
 */
export async function call(path: string, options: Call = {}): Promise<Answer> {
  const answer = token
    ? await request(addressOf(path), options, { Authorization: `Bearer ${token}` }, "omit")
    : await request(addressOf(path), options, {}, cookies());
  if (answer.status === 401 && !REFUSED_BUT_SIGNED_IN.includes(answer.code)) {
    setToken(null);
    onOver();
    throw new Error(WORDS.sessionOver);
  }
  return answer;
}

/** Returns the JSON body; throws an Error with the translated reason for any status but 200. */
export async function get<T>(path: string): Promise<T> {
  const answer = await call(path);
  if (answer.status !== 200) throw new Error(reasonOf(answer));
  return answer.json as T;
}

export function reasonOf({ status, code }: Answer): string {
  if (code === "reauth_required") return WORDS.reauth;
  if (status === 429 || code === "busy") return WORDS.busy;
  if (code === "storefront_unavailable" || code === "not_installed") return WORDS.ordersAway;
  return WORDS.failed;
}

export type Profile = {
  user: {
    email: string | null;
    full_name: string | null;
    first_name: string | null;
    last_name: string | null;
    avatar_url: string | null;
    language_pref: string | null;
    email_verified: boolean;
    provider: string;
  };
  consents: Record<string, boolean>;
  linked_providers: string[];
};

/** Stores the token only where the browser did not keep the cookie, or where that is not known. */
export async function startSession(answer: Answer): Promise<void> {
  const given = String(answer.json.token);
  if (isOwnPage()) {
    const check = await request(addressOf("/auth/me"), {}, {}, "same-origin").catch(() => null);
    const me = check?.json.user as { id?: unknown } | undefined;
    if (check?.status === 200 && me?.id === (answer.json.user as { id?: unknown }).id)
      return setToken(null);
  }
  setToken(given);
}

export type RestoredSession =
  | { outcome: "signed_in" }
  | {
      outcome: "unknown";
      /** Why the sign-in in the address was not accepted. */
      text: string;
    }
  | { outcome: "failed"; text: string };

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=/g, "");

/** Null without a secure context: such a page has no crypto.subtle and so receives no code. */
let handOff: { verifier: string; challenge: string } | null = null;

async function prepareHandOff(): Promise<void> {
  if (!crypto.subtle) return;
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  handOff = { verifier, challenge: base64Url(new Uint8Array(digest)) };
}

/**
 * The address of a sign-in with an identity provider. It carries the SHA-256 of this tab's
 * verifier, so that no other tab can exchange the returned code. Inside a theme's page the return
 * address is that page.
 */
export function signInAddress(href: string): string {
  const url = new URL(href, location.href);
  if (handOff) url.searchParams.set("handoff_challenge", handOff.challenge);
  else url.searchParams.delete("handoff");
  const here = `${DATA.proxy ?? ""}/embed/`;
  if (DATA.proxy !== null && !location.pathname.startsWith(here))
    url.searchParams.set("return_to", location.pathname);
  return url.href;
}

export const storeVerifier = (): void => {
  if (handOff) store()?.setItem(VERIFIER, handOff.verifier);
};

/** Runs `act` when the theme's own script has exchanged the code. */
export function onSessionHandoff(act: () => void): void {
  document.addEventListener("crm:session", () => {
    token = store()?.getItem(TOKEN) ?? null;
    act();
  });
}

/** The code of a completed sign-in, until the service has answered. */
let code: string | null = null;

/**
 * Exchanges the code of a completed sign-in, after removing it from the address. Requires the
 * verifier of the tab that started the sign-in: a link with another person's code must not sign the
 * reader in as that person. Throws when the service does not decide: the next call exchanges the code.
 */
export async function restoreSession(): Promise<RestoredSession> {
  await prepareHandOff();
  code ??= new URLSearchParams(location.hash.slice(1)).get("session_code");
  const query = new URLSearchParams(location.search);
  const error = query.get("error");
  query.delete("error");
  const rest = query.toString();
  if (code !== null || error !== null)
    history.replaceState(null, "", location.pathname + (rest ? `?${rest}` : ""));
  const verifier = store()?.getItem(VERIFIER);
  if (code !== null && verifier) {
    setToken(null);
    const answer = await postWithoutSession("/auth/session", { code, handoff_verifier: verifier });
    if (answer.status === 429 || answer.status >= 500) throw new Error(reasonOf(answer));
    code = null;
    store()?.removeItem(VERIFIER);
    if (answer.status !== 200) return { outcome: "failed", text: WORDS.handOff };
    await startSession(answer);
    return { outcome: "signed_in" };
  }
  store()?.removeItem(VERIFIER);
  token = store()?.getItem(TOKEN) ?? null;
  if (error !== null)
    return {
      outcome: "failed",
      text: (WORDS as Record<string, string>)[`error_${error}`] ?? WORDS.error_other,
    };
  return { outcome: "unknown", text: code === null ? "" : WORDS.handOff };
}

/** The signed-in shopper's profile, or null. A missing session is not an error here. */
export async function findProfile(): Promise<Profile | null> {
  if (!token && !isOwnPage()) return null;
  const answer = token
    ? await request(addressOf("/auth/profile"), {}, { Authorization: `Bearer ${token}` }, "omit")
    : await request(addressOf("/auth/profile"), {}, {}, "same-origin");
  if (answer.status === 200) return answer.json as unknown as Profile;
  if (answer.status !== 401) throw new Error(reasonOf(answer));
  setToken(null);
  return null;
}

/**
 * Ends the session. Without the service this tab still forgets its token. Throws where only the service
 * can end what is meant: a cookie, or the sessions elsewhere, which a second attempt needs the token for.
 */
export async function signOut(where: "here" | "everywhere"): Promise<void> {
  const isCookie = token === null;
  const everywhere = where === "everywhere";
  try {
    const answer = await call("/auth/logout", { method: "POST", body: { everywhere } });
    if (answer.status >= 400) throw new Error(reasonOf(answer));
  } catch (error) {
    if (isCookie || everywhere) throw error;
  }
  setToken(null);
}

export const clearSession = (): void => setToken(null);
