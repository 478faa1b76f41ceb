// The session in this page, and every call made with it.
//
// Where the browser keeps our cookie, the cookie is the session and no script can read it. Where it does not (a frame in
// the store's page, the store's own address), the token is kept in sessionStorage: gone with the tab, of this origin alone,
// and sent as a bearer with no cookie beside it. Never in localStorage, never in an address.
import { SESSION_KEY } from "../look.ts";
import { DATA, WORDS } from "./page-data.ts";

// The service's own origin is shared by all stores: there a name carries its store (loader-place.ts does the same).
const OF_STORE = DATA.proxy === null ? `:${DATA.shop}` : "";
const TOKEN = SESSION_KEY + OF_STORE;
/** The hand-off verifier of a tab that went to sign in elsewhere; crm-theme.js keeps the same. */
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

function remember(value: string | null): void {
  token = value;
  if (value) store()?.setItem(TOKEN, value);
  else store()?.removeItem(TOKEN);
}

/** The answer, whatever it is; throws only when there is none. */
async function ask(
  address: string,
  { method = "GET", body }: Call,
  headers: Record<string, string>,
  credentials: RequestCredentials,
): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      credentials,
      cache: "no-store",
      headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Error(WORDS.offline);
  }
  const text = await response.text();
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A file or nothing at all.
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
/** The cookie counts where this page is the service's own: elsewhere it would be a third party's. */
const isOwnPage = () => location.origin === DATA.serviceOrigin;
const cookies = (): RequestCredentials => (isOwnPage() ? "same-origin" : "omit");

/** Without a session: signing in and up. */
export const askOpenly = (path: string, body: unknown): Promise<Answer> =>
  ask(addressOf(path), { method: "POST", body }, {}, cookies());

/** As the customer that the storefront vouches for, through its proxy. */
export const askThroughProxy = (path: string, body: unknown): Promise<Answer> =>
  ask(`${DATA.proxy}${path}`, { method: "POST", body }, {}, "same-origin");

const REFUSED_BUT_SIGNED_IN = ["invalid_credentials", "reauth_required"];
let whenOver: () => void = () => undefined;
export const onSessionOver = (act: () => void): void => void (whenOver = act);

/** With the session; an answer that it is over is told to the page, once. */
export async function call(path: string, options: Call = {}): Promise<Answer> {
  const answer = token
    ? await ask(addressOf(path), options, { Authorization: `Bearer ${token}` }, "omit")
    : await ask(addressOf(path), options, {}, cookies());
  if (answer.status === 401 && !REFUSED_BUT_SIGNED_IN.includes(answer.code)) {
    remember(null);
    whenOver();
    throw new Error(WORDS.sessionOver);
  }
  return answer;
}

/** What was asked for, or the reason as people are told it. */
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

/** Keeps the token only where the cookie did not stay. */
export async function begin(answer: Answer): Promise<void> {
  const given = String(answer.json.token);
  if (isOwnPage()) {
    const check = await ask(addressOf("/auth/me"), {}, {}, "same-origin");
    const me = check.json.user as { id?: unknown } | undefined;
    if (check.status === 200 && me?.id === (answer.json.user as { id?: unknown }).id)
      return remember(null);
  }
  remember(given);
}

export type Arrival =
  | { outcome: "signed_in" }
  | {
      outcome: "unknown";
      /** Why the sign-in that came with the address does not count. */ text: string;
    }
  | { outcome: "failed"; text: string };

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=/g, "");

/** Null where the page is not in a secure context: such a page cannot hash, and gets no code. */
let handOff: { verifier: string; challenge: string } | null = null;

async function prepareHandOff(): Promise<void> {
  if (!crypto.subtle) return;
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  handOff = { verifier, challenge: base64Url(new Uint8Array(digest)) };
}

/**
 * The address of a sign-in elsewhere. The SHA-256 of this tab's verifier goes along, so that the code that comes back is
 * worth nothing to any other tab. From inside a theme's page the way back is that page.
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

export const keepVerifier = (): void => {
  if (handOff) store()?.setItem(VERIFIER, handOff.verifier);
};

/** Where the theme's own script swapped the code, it says so. */
export function onHandOver(act: () => void): void {
  document.addEventListener("crm:session", () => {
    token = store()?.getItem(TOKEN) ?? null;
    act();
  });
}

/**
 * Exchanges the code of a sign-in elsewhere, whose trace leaves the address at once. Only a tab that went to sign in takes it:
 * a link with somebody else's code would sign the reader in as that person.
 */
export async function arrive(): Promise<Arrival> {
  await prepareHandOff();
  const code = new URLSearchParams(location.hash.slice(1)).get("session_code");
  const query = new URLSearchParams(location.search);
  const error = query.get("error");
  query.delete("error");
  const rest = query.toString();
  if (code !== null || error !== null)
    history.replaceState(null, "", location.pathname + (rest ? `?${rest}` : ""));
  const verifier = store()?.getItem(VERIFIER);
  store()?.removeItem(VERIFIER);
  if (code !== null && verifier) {
    remember(null);
    const answer = await askOpenly("/auth/session", { code, handoff_verifier: verifier });
    if (answer.status !== 200) return { outcome: "failed", text: WORDS.handOff };
    await begin(answer);
    return { outcome: "signed_in" };
  }
  token = store()?.getItem(TOKEN) ?? null;
  if (error !== null)
    return {
      outcome: "failed",
      text: (WORDS as Record<string, string>)[`error_${error}`] ?? WORDS.error_other,
    };
  return { outcome: "unknown", text: code === null ? "" : WORDS.handOff };
}

/** The signed-in person, or null: asked without a fuss, because nobody may be. */
export async function findProfile(): Promise<Profile | null> {
  if (!token && !isOwnPage()) return null;
  const answer = token
    ? await ask(addressOf("/auth/profile"), {}, { Authorization: `Bearer ${token}` }, "omit")
    : await ask(addressOf("/auth/profile"), {}, {}, "same-origin");
  if (answer.status === 200) return answer.json as unknown as Profile;
  if (answer.status !== 401) throw new Error(reasonOf(answer));
  remember(null);
  return null;
}

export async function leave(everywhere: boolean): Promise<void> {
  await call("/auth/logout", { method: "POST", body: { everywhere } });
  remember(null);
}

export const forget = (): void => remember(null);
