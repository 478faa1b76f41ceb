// The bound of a session check: node:http and the same one SELECT. No token, no tenant, no checks, no log.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const { text, values } = JSON.parse(process.env.STATEMENT ?? "") as { text: string; values: unknown[] };
const server = createServer((_request, response) => {
  pool.query(text, values).then(
    ({ rows }) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(rows[0])),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`));
