// Requests that no endpoint can answer: those that Node's parser refuses, and those without one host.
// Node's own responses to them have no body and no request id.
import { randomUUID } from "node:crypto";
import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { AppError, toErrorBody, type ErrorCode } from "../runtime/errors.ts";

/** The parser's codes; every other one is `malformed_request`. */
const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Nothing that follows such a request can be read. */
const CLOSING = { Connection: "close" };

/** `answering`: the responses that are not finished. */
export function refuseUnreadable(server: Server, answering: () => readonly ServerResponse[]): void {
  // All headers of a request are kept: `withOneHost` counts them. Their bytes are limited.
  server.maxHeadersCount = 0;
  const ending = new WeakSet<Socket>();
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    // Nothing that follows is read: a request that took too long could still arrive.
    socket.pause();
    if (!socket.writable) return void socket.destroy(error);
    // The client would take a refusal for the response that it waits for, or for a part of it.
    const awaited = answering().filter(
      ({ req, headersSent }) => req.socket === socket && (headersSent || req.complete),
    );
    let left = awaited.length;
    for (const response of awaited)
      response.once("close", () => (left -= 1) === 0 && socket.destroySoon());
    if (left > 0) return;
    const { status, headers, body } = refusal(
      new AppError(CODES[error.code ?? ""] ?? "malformed_request", { headers: CLOSING }),
    );
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
    socket.destroySoon();
  });
  // A server may ignore what it does not know here (RFC 9110, 10.1.1); Node would answer 417 itself.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** RFC 9112, 3.2: a proxy in front may have read the other one of two hosts. */
export const withOneHost =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const hosts = countHosts(request.rawHeaders);
    if (hosts === 1 || (hosts === 0 && request.httpVersion === "1.0"))
      return listener(request, response);
    refuse(response, new AppError("malformed_request", { headers: CLOSING }));
  };

/** An answer before any endpoint. */
export function refuse(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = refusal(error);
  response.writeHead(status, headers).end(body);
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") count += 1;
  return count;
}

function refusal(error: AppError) {
  const requestId = randomUUID();
  const body = JSON.stringify(toErrorBody(error, requestId));
  return {
    status: error.status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
      "X-Content-Type-Options": "nosniff",
      "Content-Length": String(Buffer.byteLength(body)),
      ...error.headers,
    },
    body,
  };
}
