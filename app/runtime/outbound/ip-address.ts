// IP addresses: which ones a tenant may make us call, and which part of one identifies a client.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Everything outside of it is special or unassigned: a new special range is outside too (RFC 4291). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** An IPv4 address is in the last 32 bits (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * True for every address that is not publicly routable: private, loopback, link-local, site-local,
 * multicast, documentation and unassigned ranges, and invalid text. An IPv4 address inside an IPv6
 * one (IPv4-mapped, NAT64) is checked as IPv4.
 */
export function isPrivateAddress(text: string): boolean {
  // The parser also reads "127.1" and octal numbers.
  if (isIP(text) === 0) return true;
  const address = reachedBy(parse(text));
  return address.range() !== "unicast" || (isIpv6(address) && !address.match(GLOBAL_IPV6));
}

/**
 * The rate-limit key of an address: an IPv4 address, or the /64 of an IPv6 one, because a client
 * has 2^64 addresses there. An IPv4-mapped address counts as its IPv4. Invalid text is returned
 * unchanged.
 */
export function clientNetwork(text: string): string {
  if (isIP(text) !== 6) return text;
  const address = parse(text);
  if (!isIpv6(address)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}

/** Without its zone, which Node allows more signs than the parser. An IPv4-mapped address is its IPv4. */
const parse = (text: string): Address => ipaddr.process(text.split("%", 1)[0] as string);

const isIpv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === "ipv6";

/** The address that a packet reaches: behind the NAT64 prefix, the embedded IPv4 address. */
const reachedBy = (address: Address): Address =>
  isIpv6(address) && address.match(NAT64)
    ? ipaddr.fromByteArray(address.toByteArray().slice(-4))
    : address;
