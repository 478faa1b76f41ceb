// Which addresses are public, range by range of the IANA special-purpose registries, and the key of a
// client's rate limit.
import { describe, expect, test } from "vitest";
import { clientNetwork, isPrivateAddress } from "../../../app/runtime/outbound/ip-address.ts";

/** [range, first address, last address] */
const SPECIAL_RANGES: [string, string, string][] = [
  ["this network 0.0.0.0/8", "0.0.0.0", "0.255.255.255"],
  ["private 10.0.0.0/8", "10.0.0.0", "10.255.255.255"],
  ["shared 100.64.0.0/10", "100.64.0.0", "100.127.255.255"],
  ["loopback 127.0.0.0/8", "127.0.0.0", "127.255.255.255"],
  ["link local 169.254.0.0/16", "169.254.0.0", "169.254.255.255"],
  ["private 172.16.0.0/12", "172.16.0.0", "172.31.255.255"],
  ["protocol assignments 192.0.0.0/24", "192.0.0.0", "192.0.0.255"],
  ["documentation 192.0.2.0/24", "192.0.2.0", "192.0.2.255"],
  ["6to4 relay 192.88.99.0/24", "192.88.99.0", "192.88.99.255"],
  ["private 192.168.0.0/16", "192.168.0.0", "192.168.255.255"],
  ["benchmarking 198.18.0.0/15", "198.18.0.0", "198.19.255.255"],
  ["documentation 198.51.100.0/24", "198.51.100.0", "198.51.100.255"],
  ["documentation 203.0.113.0/24", "203.0.113.0", "203.0.113.255"],
  ["multicast 224.0.0.0/4", "224.0.0.0", "239.255.255.255"],
  ["reserved 240.0.0.0/4", "240.0.0.0", "255.255.255.255"],
  ["unspecified ::/128", "::", "0:0:0:0:0:0:0:0"],
  ["loopback ::1/128", "::1", "0000:0000:0000:0000:0000:0000:0000:0001"],
  ["IPv4-compatible ::/96", "::7f00:1", "::255.255.255.255"],
  ["local-use translation 64:ff9b:1::/48", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard only 100::/64", "100::", "100::ffff:ffff:ffff:ffff"],
  ["dummy prefix 100:0:0:1::/64", "100:0:0:1::", "100::1:ffff:ffff:ffff:ffff"],
  ["protocol assignments 2001::/23", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["documentation 2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["6to4 2002::/16", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["documentation 3fff::/20", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unassigned 4000::/2 and up", "4000::", "5eff::1"],
  ["segment routing 5f00::/16", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unique local fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link local fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link local with a zone", "fe80::1%eth0", "fe80::1%1"],
  ["link local with the zone of a bridge or a VLAN", "fe80::1%br-1a2b", "fe80::1%eth0.100"],
  ["site local fec0::/10", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["multicast ff00::/8", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["IPv4-mapped, of a private address", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe"],
  ["NAT64, of a private address", "64:ff9b::a00:1", "64:ff9b::127.0.0.1"],
  ["no address", "", "localhost"],
];

test.each(SPECIAL_RANGES)("%s is not public", (_, first, last) => {
  expect([first, last].map(isPrivateAddress)).toEqual([true, true]);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "2001:200::1",
  "2001:db7::1",
  "2003::1",
  "2606:4700:4700::1111",
  "2A00:1450:4001:80B::200E",
  "3fff:1000::1",
  "::ffff:8.8.8.8",
  "::ffff:808:808",
  "64:ff9b::808:808",
])("%s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

describe("a client is rate limited by", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002:0:0:0:9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["fe80::1%br-1a2b", "fe80:0:0:0::/64"],
    ["fe80::1%eth0.100", "fe80:0:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""],
  ])("the network of its address: %s is %s", (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
