// A minimal delivery target: accepts every POST with keep-alive, and answers stdin lines on stdout:
// `count` is the number of requests, `arrivals` the time of each by its `x-key` or idempotency key.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

const ANSWER = "{}";
let count = 0;
let arrivals: Record<string, number> = {};
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const key = request.headers["x-key"] ?? request.headers["idempotency-key"];
  request.resume().once("end", () => {
    count += 1;
    if (typeof key === "string") arrivals[key] = performance.timeOrigin + performance.now();
    response
      .writeHead(201, { "Content-Type": "application/json", "Content-Length": ANSWER.length })
      .end(ANSWER);
  });
});
createInterface(process.stdin).on("line", (asked) => {
  process.stdout.write(
    `${asked} ${JSON.stringify(asked.startsWith("count") ? count : arrivals)}\n`,
  );
  if (asked.startsWith("arrivals")) arrivals = {};
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
