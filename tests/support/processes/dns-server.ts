// A name server on loopback (RFC 1035): answers TXT queries from a table, NXDOMAIN for the rest.
import { createSocket } from "node:dgram";

export type DnsServer = {
  /** `address:port`, as DNS_SERVERS expects it. */
  address: string;
  /** The texts of each name's TXT record. */
  records: Map<string, string[]>;
  /** Queried names, in order. */
  asked: string[];
  stop(): Promise<void>;
};

const HEADER_BYTES = 12;
const MAX_PIECE_BYTES = 255;

export async function startDnsServer(): Promise<DnsServer> {
  const records = new Map<string, string[]>();
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = readName(query);
    asked.push(name);
    const texts = records.get(name.toLowerCase()) ?? [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // Response, recursion available; 3: NXDOMAIN.
    header.writeUInt16BE(texts.length > 0 ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(texts.length, 6);
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(Buffer.concat([header, question, ...texts.map(toAnswer)]), from.port, from.address);
  });
  await new Promise<void>((ready) => socket.bind(0, "127.0.0.1", ready));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
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

/** A pointer to the question's name, TXT, IN, TTL 0, and the text in chunks. */
function toAnswer(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
    const piece = bytes.subarray(at, at + MAX_PIECE_BYTES);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  const data = Buffer.concat(pieces);
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
