// Load from raw sockets: each connection writes a prepared request, and the next one once the
// response is complete. It costs a fraction of an HTTP client, so that on a small machine the
// server is the bottleneck.
import { connect, type Socket } from "node:net";
import { percentile } from "./percentile.ts";

export type Round = { perSecond: number; p50: number; p99: number; refused: number };

/**
 * `next` returns the bytes of one whole request, or null when none are left: then the round does
 * not count.
 */
export async function runSocketRound(
  url: string,
  seconds: number,
  connections: number,
  next: () => Buffer | null,
): Promise<Round> {
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  let refused = 0;
  let isOver = false;
  let isExhausted = false;
  const started = performance.now();

  const drive = (): Promise<void> =>
    new Promise((done, reject) => {
      const socket: Socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let sentAt = 0;
      let answer = "";
      const send = () => {
        const request = isOver ? null : next();
        if (!request) {
          isExhausted ||= !isOver;
          socket.end();
          return done();
        }
        answer = "";
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        answer += chunk.toString("latin1");
        const head = answer.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0);
        if (answer.length < head + 4 + length) return;
        times.push(performance.now() - sentAt);
        if (answer[9] !== "2") refused += 1;
        send();
      });
    });

  const timer = setTimeout(() => (isOver = true), seconds * 1_000);
  await Promise.all(Array.from({ length: connections }, drive));
  clearTimeout(timer);
  if (isExhausted) throw new Error("more requests were answered than were prepared: prepare more");
  return {
    perSecond: times.length / ((performance.now() - started) / 1_000),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    refused,
  };
}

/** One HTTP request as bytes on the wire: a POST of JSON, or a GET without a body. */
export function wireRequest(path: string, headers: Record<string, string>, body?: string): Buffer {
  const lines = [
    `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    "Host: localhost",
    ...Object.entries({
      ...headers,
      ...(body !== undefined && {
        "Content-Type": "application/json",
        "Content-Length": String(Buffer.byteLength(body)),
      }),
    }).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
