// Which address a client is counted by, and the cookies of one sign-in.
import { expect, it } from "vitest";
import type { Ctx } from "../../../app/context.server.ts";
import type { ApiRequest } from "../../../app/http/api-request.ts";
import { clientAddress } from "../../../app/http/client-address.ts";
import { journeyCookie } from "../../../app/http/cookies.ts";

const REMOTE = "198.51.100.9";
const addressOf = (forwarded: string | undefined, trustedHops: number) =>
  clientAddress(
    {
      remoteAddress: REMOTE,
      header: (name) => (name === "x-forwarded-for" ? forwarded : undefined),
    } as ApiRequest,
    trustedHops,
  );

it.each<[what: string, forwarded: string | undefined, hops: number, address: string]>([
  ["no proxy is trusted", "203.0.113.1", 0, REMOTE],
  ["one proxy wrote it", "203.0.113.1", 1, "203.0.113.1"],
  ["the client wrote entries before it", "192.0.2.1, 203.0.113.1", 1, "203.0.113.1"],
  ["two proxies wrote one entry each", "192.0.2.1, 203.0.113.1, 10.0.0.1", 2, "203.0.113.1"],
  ["there are fewer entries than proxies", "203.0.113.1", 2, "203.0.113.1"],
  ["the entries have blanks and gaps", " 203.0.113.1 ,, ", 1, "203.0.113.1"],
  ["a proxy wrote the port too", "203.0.113.1:4711", 1, "203.0.113.1"],
  ["a proxy wrote the port of an IPv6 address", "[2001:db8:1:2::3]:4711", 1, "2001:db8:1:2::/64"],
  ["an IPv6 address stands in brackets", "[2001:db8:1:2::3]", 1, "2001:db8:1:2::/64"],
  ["the proxy wrote nothing", undefined, 1, REMOTE],
  ["the proxy wrote an empty entry", " , ", 1, REMOTE],
])("a client is counted by its own address where %s", (_, forwarded, hops, address) => {
  expect(addressOf(forwarded, hops)).toBe(address);
});

it("the cookie of a sign-in is bound to the host and to https where the service has it", () => {
  const cookieAt = (baseUrl: string) => journeyCookie({ baseUrl } as Ctx, "crm_gate", "x", 60);
  expect(cookieAt("https://service.example")).toBe(
    "__Host-crm_gate=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure",
  );
  expect(cookieAt("http://127.0.0.1:3000")).toBe(
    "crm_gate=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=60",
  );
});
