// The address of a database: one server, or several of which one accepts writes
// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS).

export type Host = { host: string; port: number };

export type DatabaseAddress = {
  /** More than one: which of them to use is found out when a connection is opened. */
  hosts: readonly [Host, ...Host[]];
  /** The address with one of its hosts, as node-postgres reads it. */
  urlOf(host: Host): string;
  /** A server that accepts no writes is rejected. */
  isPrimaryWanted: boolean;
};

const PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)([/?#].*)?$/s;
const HOST = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 5432;
/** libpq's values that can lead to a server that accepts writes. */
const TARGETS: ReadonlySet<string> = new Set(["any", "read-write", "primary"]);

/** Throws an error whose message names no part of the address. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = PARTS.exec(url);
  if (!parts) throw new Error("must be a postgres:// address");
  const [, scheme = "", user, list = "", rest = ""] = parts;
  const [path, query] = split(rest, "?");
  const parameters = query.split("&").filter(Boolean);
  const target = parameters
    .filter((one) => one.startsWith(TARGET))
    .map((one) => decodeURIComponent(one.slice(TARGET.length)))
    .at(-1);
  if (target !== undefined && !TARGETS.has(target))
    throw new Error("target_session_attrs must be read-write: the service writes");
  if (parameters.some((one) => /^host=[^&]*(,|%2c)/i.test(one)))
    throw new Error("several hosts must stand in front of the path, separated by commas");
  const hosts = list.split(",").map(parseHost) as [Host, ...Host[]];
  const others = parameters.filter((one) => !one.startsWith(TARGET)).join("&");
  const userInfo = user === undefined ? "" : `${user}@`;
  return {
    hosts,
    isPrimaryWanted: hosts.length > 1 ? target !== "any" : target !== undefined && target !== "any",
    urlOf: ({ host, port }) =>
      `${scheme}${userInfo}${hosts.length > 1 ? `${host}:${port}` : list}${path}${others && `?${others}`}`,
  };
}

const TARGET = "target_session_attrs=";

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function parseHost(text: string, _at: number, all: readonly string[]): Host {
  const [, host = "", port] = HOST.exec(text) ?? [];
  if ((host === "" && (text !== "" || all.length > 1)) || Number(port ?? 0) > 65_535)
    throw new Error("must name its hosts as name or name:port, separated by commas");
  return { host, port: Number(port ?? DEFAULT_PORT) };
}
