// Allowed redirect URIs of agents (RFC 8252, RFC 9700): https, loopback, or a private-use scheme, which leads to an app on
// the shopper's device.
import { findEmailAddresses } from "../../../runtime/email-addresses.ts";

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
const MAX_LENGTH = 500;
/**
 * Well-known clients that register a scheme without a dot (`cursor://anysphere.cursor-mcp/oauth/callback`), and a rejected
 * address rejects their whole registration. Others stay closed: such a scheme may be one that a system opens a server by.
 */
const KNOWN_APPS = new Set(
  "claude cursor jetbrains raycast vscode vscode-insiders warp windsurf zed"
    .split(" ")
    .map((scheme) => `${scheme}:`),
);

/** Why a redirect URI is rejected; undefined when it is allowed. */
export function findRedirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri))
    return "must be an address";
  // It becomes part of a policy header, where `*` and `;` have a meaning.
  if (!/^([a-z0-9.-]*|\[[0-9a-f:.]+\])$/i.test(url.hostname))
    return "must have a host of letters, digits, dots and dashes";
  if (uri.includes("#") || url.username || url.password)
    return "must have neither a fragment nor a user";
  if (hasEmailAddress(uri)) return "must not contain an e-mail address";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return LOOPBACK.has(url.hostname) ? undefined : "must be an https:// address";
  // RFC 8252 7.1: a private-use scheme is a reversed domain name. `javascript:` and `data:` have no dot.
  return url.protocol.includes(".") || KNOWN_APPS.has(url.protocol)
    ? undefined
    : "must be https, loopback, or a scheme such as com.example.agent:";
}

/** Also where the `@` is encoded. What a client says of itself is kept for the store, not for one shopper. */
export const hasEmailAddress = (uri: string): boolean =>
  findEmailAddresses(uri.replaceAll(/%40/g, "@"), 1).length > 0;

/** Whose page or app gets the answer: the host, or an app's scheme, whose host is a name of the app's own choice. */
export function receiverOf(uri: string): string {
  const url = URL.parse(uri);
  if (!url) return uri;
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol;
}

const withoutPort = (uri: string): string | null => {
  const url = URL.parse(uri);
  if (url?.protocol !== "http:" || !LOOPBACK.has(url.hostname)) return null;
  url.port = "";
  return url.href;
};

/**
 * Exact string comparison; at loopback the port is ignored, because the system assigns it (RFC 8252
 * 7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], given: string): boolean {
  if (findRedirectProblem(given)) return false;
  const bare = withoutPort(given);
  return registered.some((uri) => uri === given || (bare !== null && withoutPort(uri) === bare));
}

/** The Content-Security-Policy source of a form whose response redirects there. */
export function formTargetOf(uri: string): string {
  const url = new URL(uri);
  return /^https?:$/.test(url.protocol) && url.hostname !== "[::1]" ? url.origin : url.protocol;
}
