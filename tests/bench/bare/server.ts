// The upper bound: node:http, and one INSERT per POST into the same Postgres. No signature, no
// tenant, no checks.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
await pool.query(
  "CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, delivery_id text NOT NULL UNIQUE, body text NOT NULL)",
);
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    pool
      .query({
        name: "bare",
        text: "INSERT INTO bare (delivery_id, body) VALUES ($1, $2)",
        values: [request.headers["x-shopify-webhook-id"], Buffer.concat(chunks).toString("utf8")],
      })
      .then(
        () => response.writeHead(200, { "Content-Type": "application/json" }).end('{"ok":true}'),
        () => response.writeHead(500).end(),
      );
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
