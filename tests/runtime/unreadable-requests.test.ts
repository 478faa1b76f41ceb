// Requests that Node's parser refuses, that name several hosts, or that come too early: no endpoint ever sees them.
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPort, type OpenPort } from "../../app/process/open-port.ts";

const HOST = "Host: service.example";
const JSON_POST = `POST /auth/login HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n`;

let port: OpenPort;
let respond: RequestListener;
beforeEach(async () => {
  respond = (request, response) => {
    request.resume().on("end", () => response.end("served"));
  };
  port = await openPort({ PORT: 0, HOST: "127.0.0.1" });
  port.serve((request, response) => respond(request, response));
});
afterEach(async () => {
  port.server.closeAllConnections();
  await new Promise((closed) => port.server.close(closed));
});

/** Everything that the server sends until it ends the connection. */
async function send(text: string): Promise<string> {
  const client = connect(port.port, "127.0.0.1");
  let received = "";
  client.on("data", (chunk) => (received += chunk.toString("latin1")));
  // The server may end the connection before it has read everything.
  client.on("error", () => {});
  client.write(text);
  await new Promise((closed) => client.once("close", closed));
  return received;
}

function read(received: string) {
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
  return { status: Number(first.split(" ")[1]), headers, body };
}

const HEADER_OF = (bytes: number) => `X-Filler: ${"a".repeat(bytes)}`;

test.each<[what: string, status: number, title: string, request: string]>([
  ["a target with a space", 400, "BadRequest", `GET /he alth HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ["an unknown method", 400, "BadRequest", `STEAL /health HTTP/1.1\r\n${HOST}\r\n\r\n`],
  [
    "two lengths",
    400,
    "BadRequest",
    `${JSON_POST}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}GET`,
  ],
  [
    "a length beside chunks",
    400,
    "BadRequest",
    `${JSON_POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["a broken chunk", 400, "BadRequest", `${JSON_POST}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}`],
  ["no host", 400, "BadRequest", "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"],
  [
    "two hosts",
    400,
    "BadRequest",
    `GET /health HTTP/1.1\r\n${HOST}\r\nhost: other.example\r\nConnection: close\r\n\r\n`,
  ],
  [
    "two hosts, one behind a thousand headers",
    400,
    "BadRequest",
    `GET /health HTTP/1.1\r\n${HOST}\r\n${"a:\r\n".repeat(2_500)}host: other.example\r\nConnection: close\r\n\r\n`,
  ],
  [
    "too large headers",
    431,
    "RequestHeaderFieldsTooLarge",
    `GET /health HTTP/1.1\r\n${HOST}\r\n${HEADER_OF(17_000)}\r\n\r\n`,
  ],
])("a request with %s is refused in the shape of every error", async (_, status, title, text) => {
  const answer = read(await send(text));
  const requestId = answer.headers.get("x-request-id");
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toEqual({
    error: title,
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/^[A-Z].*\.$/),
    request_id: requestId,
  });
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.body)));
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test("a request that arrives while the process starts is refused in the shape of every error", async () => {
  const starting = await openPort({ PORT: 0, HOST: "127.0.0.1" });
  const ask = (path: string) => fetch(`http://127.0.0.1:${starting.port}${path}`);
  const answer = await ask("/health");
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(await answer.json()).toEqual({
    error: "ServiceUnavailable",
    code: "starting",
    message: expect.stringMatching(/^[A-Z].*\.$/),
    request_id: answer.headers.get("x-request-id"),
  });
  expect((await ask("/health/live")).status).toBe(200);
  starting.server.closeAllConnections();
  await new Promise((closed) => starting.server.close(closed));
});

test("requests before unreadable bytes get their responses, and then the connection ends", async () => {
  const bodyWithoutLength = `{"password":"${"x".repeat(100_000)}"}`;
  for (const after of ["STEAL / HTTP/1.1\r\n\r\n", bodyWithoutLength]) {
    respond = ({ url }, response) => void setImmediate(() => response.end(url));
    const requests = ["/first", "/second"].map(
      (path) => `DELETE ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`,
    );
    const received = await send(requests.join("") + after);
    expect(received.match(/HTTP\/1\.1 \d+|\/(?:first|second)/g)).toEqual([
      "HTTP/1.1 200",
      "/first",
      "HTTP/1.1 200",
      "/second",
    ]);
  }
});

test("a request with an unknown Expect header is answered", async () => {
  const answer = await send(
    `GET /health HTTP/1.1\r\n${HOST}\r\nExpect: anything\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*served/);
});

test("a request of HTTP/1.0, which has no host, is served", async () => {
  expect(await send("GET /health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 [^]*served$/);
});
