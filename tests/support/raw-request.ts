// Requests that fetch cannot send: a repeated header, a body without a length, a path that begins
// with two slashes, another Host, a body that comes late.
import { request, type IncomingHttpHeaders } from "node:http";

// oxlint-disable-next-line typescript/no-explicit-any -- a test names the fields it reads
export type RawAnswer = { status: number; headers: IncomingHttpHeaders; text: string; json: any };

export type RawOptions = {
  method?: string;
  /** In order, repetitions kept. */
  headers?: [name: string, value: string][];
  /** Several chunks are sent without a Content-Length. */
  chunks?: (string | Buffer)[];
};

export function rawRequest(
  base: string,
  path: string,
  { method = "GET", headers = [], chunks = [] }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(base);
  const named = headers.some(([name]) => name.toLowerCase() === "host")
    ? headers
    : [["Host", host] as const, ...headers];
  return new Promise((done, failed) => {
    const outgoing = request({ hostname, port, path, method, agent: false, headers: named.flat() });
    outgoing.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", failed);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        let json: unknown;
        try {
          json = JSON.parse(text);
        } catch {
          json = undefined;
        }
        done({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    outgoing.on("error", failed);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

/** Posts the headers now, and the body when `sendBody` is called. */
export function postLate(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): { sendBody(): void; answer: Promise<Pick<RawAnswer, "status" | "text">> } {
  const text = JSON.stringify(body);
  const outgoing = request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      ...headers,
    },
  });
  const answer = new Promise<Pick<RawAnswer, "status" | "text">>((done, failed) => {
    outgoing.on("error", failed).on("response", (response) => {
      let received = "";
      response.on("data", (part: Buffer) => (received += part.toString()));
      response.on("end", () => done({ status: response.statusCode ?? 0, text: received }));
    });
  });
  outgoing.flushHeaders();
  return { sendBody: () => void outgoing.end(text), answer };
}
