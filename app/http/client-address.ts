// Who is calling, for rate limits: the connection's own address, or what the trusted proxies in front say of it.
import type { Ctx } from "../context.server.ts";
import { clientNetwork } from "../runtime/ip-address.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import type { Inbound } from "./inbound.ts";

/**
 * Who is calling this route. The app proxy stands between the visitor and the proxies that we trust, and writes the visitor's
 * address one entry further left: by its own address all visitors of a store would share one count.
 */
export function callerAddress(ctx: Ctx, inbound: Inbound, proxied: ProxiedRequest | null): string {
  return clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS + (proxied ? 1 : 0));
}

/**
 * The client's IPv4 address or the /64 of its IPv6 one. Reads `X-Forwarded-For` from the right: each trusted proxy added
 * one entry, what stands before them anybody may have written.
 */
export function clientAddress(inbound: Inbound, trustedHops: number): string {
  return clientNetwork(
    trustedHops === 0 ? inbound.remoteAddress : forwardedAddress(inbound, trustedHops),
  );
}

function forwardedAddress(inbound: Inbound, trustedHops: number): string {
  const hops = (inbound.header("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return withoutPort(hops.at(-trustedHops) ?? hops[0] ?? inbound.remoteAddress);
}

/** Some proxies add the client's port, which is another one at each connection: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return (
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]{7,15}):\d{1,5}$/, "$1")
  );
}
