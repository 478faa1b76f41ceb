// The least that keeps the contract of an ingest: the signature, the event's key, and the marker, the ledger row and the
// queue row in one commit that concurrent events share. No tenant, no validation, no duplicates, no routing, no log.
import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { jsonbArray, textArray } from "../../../app/runtime/database/array-parameters.ts";
import { createGroupCommit } from "../../../app/runtime/database/group-commit.ts";
import { APP_SECRET, SHOP } from "../../support/service.ts";

type Stored = { id: string; key: string; entityId: string; sha256: string; payload: string };

const STORE = `
  WITH e AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
      AS e(id, key, entity_id, sha256, payload)
  ), marker AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $6, 'evt:' || key, to_jsonb(id), clock_timestamp() + interval '7 days' FROM e ORDER BY key
  ), ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type, entity_id,
      destinations, priority, payload_sha256, occurred_at)
    SELECT $6, id, key, 'storefront', 'product.updated', 'product', entity_id, '["cms"]', 4, sha256, clock_timestamp()
    FROM e
  )
  INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload, priority)
  SELECT $6, id, 'cms', 'storefront', 'product.updated', 'product', entity_id, payload, 4 FROM e`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const commits = createGroupCommit<Stored, true>(async (batch) => {
  const column = (of: (event: Stored) => string) => textArray(batch.map(of));
  await pool.query({
    name: "contract",
    text: STORE,
    values: [
      column(({ id }) => id),
      column(({ key }) => key),
      column(({ entityId }) => entityId),
      column((event) => event.sha256),
      jsonbArray(batch.map(({ payload }) => payload)),
      SHOP,
    ],
  });
  return batch.map(() => true);
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const raw = Buffer.concat(chunks);
    const signature = createHmac("sha256", APP_SECRET).update(raw).digest("base64");
    if (signature !== request.headers["x-storefront-hmac-sha256"])
      return void response.writeHead(401).end();
    const { entity_id: entityId, timestamp, payload: content } = JSON.parse(raw.toString("utf8"));
    const payload = JSON.stringify(content);
    const key = sha256(`storefront:${entityId}:product.updated:${timestamp}`);
    const id = randomUUID();
    commits.add({ id, key, entityId, sha256: sha256(payload), payload }).then(
      () =>
        response
          .writeHead(202, { "Content-Type": "application/json" })
          .end(JSON.stringify({ ok: true, event_id: id, queued: 1, destinations: ["cms"] })),
      () => response.writeHead(500).end(),
    );
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
