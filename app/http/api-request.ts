// The request of an endpoint, from node:http (the served path) or through Remix (the route files
// stay valid Remix routes). The body is read once, bounded, as raw bytes, over which signatures are
// computed.
import type { IncomingMessage } from "node:http";
import { hasNul, replaceHalves, type ParsedJson } from "../runtime/database/storable-json.ts";
import { AppError } from "../runtime/errors.ts";
import { clientAddress } from "./client-address.ts";
import { holdBody, releaseBody, UNCOUNTED_BYTES, type HeldBody } from "./body/held-bodies.ts";
import type { EventStream } from "./event-stream.ts";

export type ApiRequest = {
  method: string;
  url: URL;
  header(name: string): string | undefined;
  /** The address of the connection, without `X-Forwarded-For`. */
  remoteAddress: string;
  /** The exact bytes; 413 past `maxBytes`, 503 while too many bodies are received. */
  readBody(maxBytes: number): Promise<Buffer>;
  /** The response as a stream, for a handler that begins it early; not through Remix. */
  events?: EventStream;
};

/** `trustedHops`: how many proxies in front of the service are believed (`TRUST_PROXY_HOPS`). */
export function fromNode(
  request: IncomingMessage,
  trustedHops: number,
  events?: EventStream,
): ApiRequest {
  let url: URL;
  // No column can hold a NUL: reported here it is a 400, later it would be a 500.
  if (request.url?.includes("%00")) throw new AppError("malformed_request");
  try {
    // The host is unused and untrusted: `//host/path` must stay a path.
    url = new URL(`http://internal${request.url ?? "/"}`);
  } catch {
    throw new AppError("malformed_request");
  }
  let body: Promise<Buffer> | undefined;
  const read: ApiRequest = {
    method: request.method ?? "GET",
    url,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    remoteAddress: request.socket.remoteAddress ?? "",
    readBody: (maxBytes) =>
      (body ??= collectEvents(request, maxBytes, () => clientAddress(read, trustedHops))),
    ...(events && { events }),
  };
  return read;
}

export function fromWeb(request: Request): ApiRequest {
  return {
    method: request.method,
    url: new URL(request.url),
    header: (name) => request.headers.get(name) ?? undefined,
    remoteAddress: "",
    readBody: (maxBytes) =>
      collect(
        (request.body as AsyncIterable<Uint8Array> | null) ?? [],
        Number(request.headers.get("content-length") ?? 0),
        maxBytes,
      ),
  };
}

const tooLarge = (maxBytes: number) =>
  new AppError("payload_too_large", {
    message: `The body may hold at most ${maxBytes} bytes.`,
    headers: { Connection: "close" },
  });

const tooManyBodies = () =>
  new AppError("overloaded", {
    message: "Too many large bodies arrive at this moment. Try again shortly.",
    headers: { "Retry-After": "1", Connection: "close" },
  });

/**
 * Reads by events: an async iterator over the stream costs more than the rest of a small request.
 */
function collectEvents(
  request: IncomingMessage,
  maxBytes: number,
  clientOf: () => string,
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: AppError) => {
      releaseBody(body);
      request.pause();
      chunks.length = 0;
      reject(error);
    };
    const body: HeldBody = { client: "", bytes: 0, refuse: () => refuse(tooManyBodies()) };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return refuse(tooLarge(maxBytes));
      chunks.push(chunk);
      if (size <= UNCOUNTED_BYTES) return;
      if (body.bytes === 0) body.client = clientOf();
      holdBody(body, size);
    });
    request.on("end", () => {
      releaseBody(body);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    const cut = () => {
      releaseBody(body);
      reject(new AppError("malformed_request", { message: "The body ended too early." }));
    };
    request.on("error", cut);
    request.on("close", () => !request.complete && cut());
  });
}

async function collect(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  announced: number,
  maxBytes: number,
): Promise<Buffer> {
  if (announced > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("malformed_request", { message: "The body ended too early." });
  }
  return chunks.length === 1 && chunks[0] instanceof Buffer ? chunks[0] : Buffer.concat(chunks);
}

/**
 * For bodies whose texts are stored. A NUL is a 400, because no column can hold it. A lone
 * surrogate becomes the replacement character, because a jsonb column rejects it.
 */
export function toStorableJson(parsed: ParsedJson): unknown {
  if (hasNul(parsed.text))
    throw new AppError("malformed_body", { message: "The body holds a NUL character." });
  return replaceHalves(parsed);
}

/** The fields of an HTML form; the last value of a repeated field. */
export function parseForm(raw: Buffer): Record<string, string> {
  const fields = Object.fromEntries(new URLSearchParams(raw.toString("utf8")));
  if (Object.values(fields).some((value) => value.includes("\u0000")))
    throw new AppError("malformed_body", { message: "The form holds a NUL character." });
  return fields;
}

/**
 * Far beyond any real document; deeper ones block a parser for seconds and overflow a reader's
 * stack.
 */
const MAX_DEPTH = 2_000;
const [QUOTE, BACKSLASH, BRACE, BRACKET] = [0x22, 0x5c, 0x7b, 0x5b];
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/**
 * Whether JSON text is nested deeper than `MAX_DEPTH`. Linear; text with few brackets is not
 * scanned.
 */
function isTooDeep(raw: Buffer): boolean {
  return countUpTo(raw, BRACE, MAX_DEPTH) + countUpTo(raw, BRACKET, MAX_DEPTH) > MAX_DEPTH
    ? depthOf(raw) > MAX_DEPTH
    : false;
}

/** The number of occurrences of a byte, counted up to one more than `limit`. */
function countUpTo(raw: Buffer, byte: number, limit: number): number {
  let count = 0;
  for (let at = raw.indexOf(byte); at >= 0 && count <= limit; at = raw.indexOf(byte, at + 1))
    count += 1;
  return count;
}

/**
 * The deepest nesting, or the first depth beyond the limit. Brackets inside strings do not count.
 */
function depthOf(raw: Buffer): number {
  let [depth, deepest] = [0, 0];
  let isInString = false;
  for (let at = 0; at < raw.length && deepest <= MAX_DEPTH; at += 1) {
    const byte = raw[at] as number;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === BRACE || byte === BRACKET) deepest = Math.max(deepest, (depth += 1));
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return deepest;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The JSON of a body: 400 `malformed_body` when it is not UTF-8 or nested too deeply, 400
 * `malformed_json` when it is not JSON.
 */
export function parseJson(raw: Buffer): ParsedJson {
  if (isTooDeep(raw))
    throw new AppError("malformed_body", {
      message: `The body is nested deeper than ${MAX_DEPTH} levels.`,
    });
  let text: string;
  try {
    text = utf8.decode(raw);
  } catch {
    throw new AppError("malformed_body");
  }
  try {
    return { text, json: JSON.parse(text) as unknown };
  } catch {
    throw new AppError("malformed_json");
  }
}
