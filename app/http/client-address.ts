// Who is calling, for rate limits: the connection's own address, or what the trusted proxies in front say of it.
import type { Inbound } from "./inbound.ts";

/** Reads `X-Forwarded-For` from the right: each trusted proxy added one entry, what stands before them anybody may have written. */
export function clientAddress(inbound: Inbound, trustedHops: number): string {
  if (trustedHops === 0) return inbound.remoteAddress;
  const hops = (inbound.header("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return hops.at(-trustedHops) ?? hops[0] ?? inbound.remoteAddress;
}
