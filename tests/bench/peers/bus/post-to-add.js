// The server in front of every peer: node:http, and one durable add per POST, answered once it is stored.
import { createServer } from "node:http";

export function listen(add) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      add(JSON.parse(Buffer.concat(chunks).toString("utf8"))).then(
        () => response.writeHead(202, { "Content-Type": "application/json" }).end('{"ok":true}'),
        (error) => {
          process.stderr.write(`${error}\n`);
          response.writeHead(500).end();
        },
      );
    });
  });
  server.listen(0, "127.0.0.1", () =>
    process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
  );
}
