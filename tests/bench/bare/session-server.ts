// The upper bound of a session check: node:http and one prepared SELECT of the same columns per
// request. No token, no tenant, no checks, no log.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { ACCOUNT_COLUMNS, CLAIM_FLAGS } from "../../../app/domain/identity/account.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const text = `
  SELECT ${ACCOUNT_COLUMNS.map((column) => `u.${column}`).join(", ")}, ${CLAIM_FLAGS.map((flag) => `c.${flag}`).join(", ")},
    EXISTS (SELECT 1 FROM kv WHERE kv.shop = u.shop AND kv.key = $3) AS is_revoked,
    (SELECT version FROM kv WHERE kv.shop = u.shop AND kv.key = $4) AS tenant_version,
    (SELECT version FROM kv WHERE kv.shop = '*' AND kv.key = 'platform:config') AS platform_version
  FROM storefront_users u LEFT JOIN user_claims c ON c.shop = u.shop AND c.user_id = u.id
  WHERE u.shop = $1 AND u.id = $2`;
const values = [process.env.SHOP, 1, "revoked:none", `tenant:${process.env.SHOP}`];
const server = createServer((_request, response) => {
  pool.query({ name: "session", text, values }).then(
    ({ rows }) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(rows[0])),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
