// Where an agent may have a shopper sent back to (RFC 8252, RFC 9700): https, loopback, or a scheme of its own.

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
const MAX_LENGTH = 500;

/** Why an address is not one to send a browser to; undefined when it is. */
export function findRedirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri))
    return "must be an address";
  // It comes to stand in a policy header, where `*` and `;` mean something.
  if (!/^([a-z0-9.-]*|\[[0-9a-f:.]+\])$/i.test(url.hostname))
    return "must have a host of letters, digits, dots and dashes";
  if (uri.includes("#") || url.username || url.password)
    return "must have neither a fragment nor a user";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return LOOPBACK.has(url.hostname) ? undefined : "must be an https:// address";
  // RFC 8252 7.1: a scheme of one's own is a domain name backwards. `javascript:` and `data:` have no dot.
  return url.protocol.includes(".")
    ? undefined
    : "must be https, loopback, or a scheme such as com.example.agent:";
}

const withoutPort = (uri: string): string | null => {
  const url = URL.parse(uri);
  if (url?.protocol !== "http:" || !LOOPBACK.has(url.hostname)) return null;
  url.port = "";
  return url.href;
};

/** The same, letter for letter; at loopback the port does not count, because the system chooses it (RFC 8252 7.3). */
export function isRegisteredRedirect(registered: readonly string[], given: string): boolean {
  if (findRedirectProblem(given)) return false;
  const bare = withoutPort(given);
  return registered.some((uri) => uri === given || (bare !== null && withoutPort(uri) === bare));
}

/** What a Content-Security-Policy has to name for a form whose answer leads there. */
export function formTargetOf(uri: string): string {
  const url = new URL(uri);
  return /^https?:$/.test(url.protocol) && url.hostname !== "[::1]" ? url.origin : url.protocol;
}
