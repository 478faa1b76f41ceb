// IP addresses: which ones a tenant may make us call, and which part of one identifies a client.
// Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890), and RFC 6052
// for NAT64.
import { BlockList, isIP } from "node:net";

/** Every IPv4 range that is not globally reachable, and multicast. */
const SPECIAL_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/**
 * The ranges within global unicast (2000::/3) that are not globally reachable or embed an IPv4
 * address.
 */
const SPECIAL_IPV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const privateIpv4 = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) privateIpv4.addSubnet(network, bits, "ipv4");
const globalIpv6 = new BlockList();
globalIpv6.addSubnet("2000::", 3, "ipv6");
const specialIpv6 = new BlockList();
for (const [network, bits] of SPECIAL_IPV6) specialIpv6.addSubnet(network, bits, "ipv6");

/**
 * True for every address that is not publicly routable: private, loopback, link-local, site-local,
 * multicast, documentation and unassigned ranges, and invalid text. An IPv4 address inside an IPv6
 * one (IPv4-mapped, NAT64) is checked as IPv4.
 */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return privateIpv4.check(address, "ipv4");
  const groups = parseIpv6(address);
  if (!groups) return true;
  const embedded = embeddedIpv4(groups);
  if (embedded) return privateIpv4.check(embedded, "ipv4");
  // Everything outside of global unicast is special or unassigned: an allow-list stays correct when
  // a range is added.
  const text = formatIpv6(groups);
  return !globalIpv6.check(text, "ipv6") || specialIpv6.check(text, "ipv6");
}

/**
 * The rate-limit key of an address: an IPv4 address, or the /64 of an IPv6 one, because a client
 * has 2^64 addresses there. An IPv4-mapped address counts as its IPv4. Invalid text is returned
 * unchanged.
 */
export function clientNetwork(address: string): string {
  const groups = parseIpv6(address);
  if (!groups) return address;
  if (formatIpv6(groups.slice(0, 6)) === "0:0:0:0:0:ffff") return toIpv4(groups);
  return `${formatIpv6(groups.slice(0, 4))}::/64`;
}

/**
 * IPv4-mapped (::ffff:0:0/96) and the well-known NAT64 prefix (64:ff9b::/96); null for every other
 * address.
 */
function embeddedIpv4(groups: readonly number[]): string | null {
  const prefix = formatIpv6(groups.slice(0, 6));
  return prefix === "0:0:0:0:0:ffff" || prefix === "64:ff9b:0:0:0:0" ? toIpv4(groups) : null;
}

function toIpv4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

const formatIpv6 = (groups: readonly number[]) =>
  groups.map((group) => group.toString(16)).join(":");

/**
 * The eight groups of an IPv6 address in any notation, without its zone; null for anything else.
 */
function parseIpv6(text: string): number[] | null {
  if (isIP(text) !== 6) return null;
  const address = (text.split("%")[0] as string).replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a, b, c, d) =>
      `${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`,
  );
  const [head = "", tail] = address.split("::");
  const toGroups = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return toGroups(head);
  const [before, after] = [toGroups(head), toGroups(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
