// The client address for rate limits: the connection's own address, or the one that the trusted
// proxies report.
import type { Ctx } from "../context.server.ts";
import { clientNetwork } from "../runtime/outbound/ip-address.ts";
import type { ProxiedRequest } from "./auth/app-proxy.ts";
import type { ApiRequest } from "./api-request.ts";

/**
 * The client of this route. The app proxy is between the visitor and our trusted proxies, and
 * writes the visitor's address one entry further left: by the proxy's own address all visitors of a
 * store would share one limit.
 */
export function callerAddress(
  ctx: Ctx,
  request: ApiRequest,
  proxied: ProxiedRequest | null,
): string {
  return clientAddress(request, ctx.config.TRUST_PROXY_HOPS + (proxied ? 1 : 0));
}

/**
 * The client's IPv4 address or the /64 of its IPv6 one. Reads `X-Forwarded-For` from the right:
 * each trusted proxy added one entry; entries further left can be forged.
 */
export function clientAddress(request: ApiRequest, trustedHops: number): string {
  return clientNetwork(
    trustedHops === 0 ? request.remoteAddress : forwardedAddress(request, trustedHops),
  );
}

function forwardedAddress(request: ApiRequest, trustedHops: number): string {
  const hops = (request.header("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return withoutPort(hops.at(-trustedHops) ?? hops[0] ?? request.remoteAddress);
}

/**
 * Some proxies add the client's port, which differs at each connection: `192.0.2.1:4711`,
 * `[2001:db8::1]:4711`.
 */
function withoutPort(hop: string): string {
  return (
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]{7,15}):\d{1,5}$/, "$1")
  );
}
