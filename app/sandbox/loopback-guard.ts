/**
 * Access rules of the sandbox: it runs on developers' machines beside browsers that visit other
 * sites.
 */
import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * DNS rebinding (a foreign name that resolves to 127.0.0.1) would make another site same-origin with the
 * sandbox.
 */
export function hasLoopbackHost(headers: IncomingHttpHeaders): boolean {
  const url = URL.parse(`http://${headers.host ?? ""}/`);
  return url !== null && LOOPBACK_NAMES.has(url.hostname);
}

/** Programs send neither header; a browser sends at least one of them with every POST. */
export function isSameSiteOrProgram(headers: IncomingHttpHeaders): boolean {
  const fetchSite = headers["sec-fetch-site"];
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return false;
  return headers.origin === undefined || headers.origin === `http://${headers.host ?? ""}`;
}

/** Accepts the app's origin under every name of the loopback address. */
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
