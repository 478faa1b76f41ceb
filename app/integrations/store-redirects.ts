// GETs a document that a store publishes on its domains. The platform redirects from one domain of a
// store to another; a redirect to any other address is refused.
import { OutboundError } from "../runtime/errors.ts";
import { toStatusError } from "../runtime/outbound/answers.ts";
import type { Outbound, OutboundAnswer, OutboundCall } from "../runtime/outbound/outbound.ts";

const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Follows redirects below the base addresses `within`, at most 3. Throws as `Outbound.call` does, and
 * `foreign_redirect` for any other target.
 */
export async function callWithin(
  outbound: Outbound,
  call: OutboundCall,
  within: readonly string[],
): Promise<OutboundAnswer> {
  let url = call.url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await outbound.send({ ...call, url });
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (!REDIRECTS.includes(answer.status)) throw toStatusError(call.system, answer);
    if (redirects === MAX_REDIRECTS)
      throw new OutboundError(call.system, "malformed", {
        message: `${call.system}: ${hostOf(call.url)} redirects more than ${MAX_REDIRECTS} times`,
      });
    const location = answer.headers.location;
    const target = typeof location === "string" ? URL.parse(location, url) : null;
    if (!target || !within.some((base) => isBelow(target, base)))
      throw new OutboundError(call.system, "foreign_redirect", {
        message: `${call.system}: ${hostOf(url)} redirects to ${target?.host || "no address"}, which is not a domain of the store. The merchant checks the primary domain (Shopify admin, Settings, Domains) and opens the app once, so that it is read again`,
      });
    url = target.href;
  }
}

/** Same scheme, host and port, no credentials, and a path below the base's. */
function isBelow(target: URL, base: string): boolean {
  const { origin, pathname } = new URL(base);
  const isBare = target.username === "" && target.password === "";
  return (
    isBare &&
    target.origin === origin &&
    target.pathname.startsWith(pathname.endsWith("/") ? pathname : `${pathname}/`)
  );
}

const hostOf = (url: string) => URL.parse(url)?.host ?? "invalid";
