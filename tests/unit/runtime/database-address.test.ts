// The addresses of databases, with several servers and what poolers and libpq know of them.
import { expect, test } from "vitest";
import { parseDatabaseUrl } from "../../../app/runtime/database/connection/address.ts";

const SECRET = "pass%2Fword@with,signs";

test.each([
  ["postgres://db.example/app", [["db.example", 5432]], false],
  ["postgresql://u:p@db.example:6432/app?sslmode=no-verify", [["db.example", 6432]], false],
  ["postgresql://h1/app?target_session_attrs=read-write", [["h1", 5432]], true],
  [
    "postgresql://h1,h2:5433/app",
    [
      ["h1", 5432],
      ["h2", 5433],
    ],
    true,
  ],
  [
    `postgresql://u:${SECRET}@[::1]:5432,10.0.0.2/app?target_session_attrs=primary`,
    [
      ["[::1]", 5432],
      ["10.0.0.2", 5432],
    ],
    true,
  ],
  [
    "postgresql://h1,h2/app?target_session_attrs=any",
    [
      ["h1", 5432],
      ["h2", 5432],
    ],
    false,
  ],
  ["postgresql:///app?host=/var/run/postgresql", [["", 5432]], false],
] as const)("%s is read as its servers", (url, hosts, isPrimaryWanted) => {
  const address = parseDatabaseUrl(url);
  expect(address.hosts.map(({ host, port }) => [host, port])).toEqual(hosts);
  expect(address.isPrimaryWanted).toBe(isPrimaryWanted);
});

test("the address of one of the servers keeps user, database and parameters", () => {
  const address = parseDatabaseUrl(
    `postgresql://u:${SECRET}@h1,h2:5433/app?sslmode=no-verify&target_session_attrs=read-write&keepalives=1`,
  );
  expect(address.urlOf(address.hosts[1]!)).toBe(
    `postgresql://u:${SECRET}@h2:5433/app?sslmode=no-verify&keepalives=1`,
  );
  const one = "postgresql://u:p@db.example/app?sslmode=no-verify";
  const single = parseDatabaseUrl(one);
  expect(single.urlOf(single.hosts[0])).toBe(one);
});

test.each([
  `mysql://u:${SECRET}@h1/app`,
  `postgresql://u:${SECRET}@h1,,h2/app`,
  `postgresql://u:${SECRET}@h1:port/app`,
  `postgresql://u:${SECRET}@h1:99999/app`,
  `postgresql://u:${SECRET}@h1,h2/app?target_session_attrs=standby`,
  `postgresql://u:${SECRET}@/app?host=h1,h2`,
])("%s is rejected, without a part of it in the message", (url) => {
  const message = (() => {
    try {
      parseDatabaseUrl(url);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  })();
  expect(message).toMatch(/^(must|target_session_attrs must|several hosts must) /);
  expect(message).not.toContain("pass");
});
