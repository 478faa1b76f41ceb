// Where the store admin opened the app. A link inside the app has an address without the store: when such an
// address is loaded as a document, as after a deploy that removed the scripts of the open page, the tab still
// knows the store.
const KEY = "launch";
const PARAMETERS = ["shop", "host", "locale"];
const SCREEN = /^\/app(\/[\w./-]*)?$/;

/** Keeps the store for this tab. */
export function rememberLaunch({ search }: Location): void {
  const query = new URLSearchParams(search);
  if (!query.has("shop") || !query.has("host")) return;
  const launch = PARAMETERS.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  try {
    sessionStorage.setItem(KEY, JSON.stringify(launch));
  } catch {
    // A browser without storage for frames: the merchant opens the app again.
  }
}

/** The screen's address inside the admin; null when this tab does not know the store. */
export function recallLaunch(path: string): string | null {
  if (!SCREEN.test(path)) return null;
  try {
    const launch = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as [string, string][] | null;
    return launch && `${path}?${new URLSearchParams([["embedded", "1"], ...launch])}`;
  } catch {
    return null;
  }
}
