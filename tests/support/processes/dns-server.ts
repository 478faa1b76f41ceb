// A name server on loopback (RFC 1035): answers TXT, A and AAAA queries from tables, NXDOMAIN for the rest.
import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";

export type DnsServer = {
  /** `address:port`, as DNS_SERVERS expects it. */
  address: string;
  /** The texts of each name's TXT record. */
  records: Map<string, string[]>;
  /** The addresses of each name, of both families; a function makes them anew for each query. */
  hosts: Map<string, string[] | (() => string[])>;
  /** The canonical name that each name is another name of. */
  aliases: Map<string, string>;
  /** Names whose queries are never answered; `AAAA name`: those of one type. */
  silent: Set<string>;
  /** Queried names, in order. */
  asked: string[];
  stop(): Promise<void>;
};

const HEADER_BYTES = 12;
const MAX_PIECE_BYTES = 255;
const TYPES = { a: 1, cname: 5, txt: 16, aaaa: 28 } as const;

export async function startDnsServer(): Promise<DnsServer> {
  const records: DnsServer["records"] = new Map();
  const hosts: DnsServer["hosts"] = new Map();
  const aliases: DnsServer["aliases"] = new Map();
  const silent: DnsServer["silent"] = new Set();
  const asked: string[] = [];

  function answersTo(name: string, type: number): Buffer[] {
    if (type === TYPES.txt)
      return (records.get(name) ?? []).map((text) => toAnswer(name, type, toPieces(text)));
    const alias = aliases.get(name);
    if (alias !== undefined)
      return [toAnswer(name, TYPES.cname, writeName(alias)), ...answersTo(alias, type)];
    const named = hosts.get(name) ?? [];
    return (typeof named === "function" ? named() : named)
      .filter((address) => type === (isIPv4(address) ? TYPES.a : TYPES.aaaa))
      .map((address) => toAnswer(name, type, toBytes(address)));
  }

  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = readName(query);
    asked.push(name);
    const key = name.toLowerCase();
    const type = query.readUInt16BE(end);
    if (silent.has(key) || (type === TYPES.aaaa && silent.has(`AAAA ${key}`))) return;
    const isKnown = records.has(key) || hosts.has(key) || aliases.has(key);
    const answers = answersTo(key, type);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // Response, recursion available; 3: NXDOMAIN.
    header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address);
  });
  await new Promise<void>((ready) => socket.bind(0, "127.0.0.1", ready));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    hosts,
    aliases,
    silent,
    asked,
    stop: () => new Promise((closed) => void socket.close(() => closed())),
  };
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(label, "latin1"));
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), label]),
    Buffer.from([0]),
  ]);
}

/** A name, a type, IN, TTL 0, and the data. */
function toAnswer(name: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(name), head, data]);
}

function toBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  // A URL writes an address with the shortest form of each group, an IPv4 one inside it as two groups.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const missing = Array<string>(8 - before.length - after.length).fill("0");
  const groups = [...before, ...missing, ...after].map((group) => group.padStart(4, "0"));
  return Buffer.from(groups.join(""), "hex");
}

/** A text in pieces of at most 255 bytes. */
function toPieces(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
    const piece = bytes.subarray(at, at + MAX_PIECE_BYTES);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}
