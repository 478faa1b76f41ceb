/** Who may talk to the sandbox: it runs on people's machines, next to browsers that visit other sites. */
import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** A foreign name resolved to 127.0.0.1 (DNS rebinding) would make another site "same origin" with us. */
export function hasLoopbackHost(headers: IncomingHttpHeaders): boolean {
  const url = URL.parse(`http://${headers.host ?? ""}/`);
  return url !== null && LOOPBACK_NAMES.has(url.hostname);
}

/** Programs send neither header; a browser sends at least one on every POST. */
export function isSameSiteOrProgram(headers: IncomingHttpHeaders): boolean {
  const fetchSite = headers["sec-fetch-site"];
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return false;
  return headers.origin === undefined || headers.origin === `http://${headers.host ?? ""}`;
}

/** The app's own origin, also when the browser calls loopback by another of its names. */
export function isOriginOf(appUrl: string, origin: string): boolean {
  const app = URL.parse(appUrl);
  const asked = URL.parse(origin);
  if (!app || !asked) return false;
  if (app.origin === asked.origin) return true;
  return (
    LOOPBACK_NAMES.has(app.hostname) &&
    LOOPBACK_NAMES.has(asked.hostname) &&
    app.port === asked.port &&
    app.protocol === asked.protocol
  );
}

export function isLoopbackUrl(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && LOOPBACK_NAMES.has(url.hostname);
}
