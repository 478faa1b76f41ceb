// A backlog of deliveries in the queue, and the system that takes them.
import { ERP_FIELDS } from "../../support/bus/erp-receiver.ts";
import { startChild, type Child } from "../../support/processes/child.ts";
import { ADMIN_KEY, SHOP } from "../../support/service.ts";
import type { Side } from "../side.ts";

/**
 * One store's system gets at most 16 concurrent calls, so a backlog of one store would measure that
 * limit.
 */
export const STORES = Array.from({ length: 8 }, (_, n) =>
  n === 0 ? SHOP : `store-${n}.myshopify.com`,
);

export type Receiver = Child & { url: string; ask(what: string): Promise<string> };

export async function startReceiver(): Promise<Receiver> {
  const child = startChild("tests/bench/load/receiver.ts", {});
  const [, url = ""] = await child.line("its address", /^listening on (\S+)$/);
  let asked = 0;
  const ask = async (what: string) => {
    const question = `${what}-${(asked += 1)}`;
    child.send(question);
    return (await child.line(question, new RegExp(`^${question} (.*)$`)))[1] as string;
  };
  return Object.assign(child, { url, ask });
}

export async function connectErp({ server }: Side, erp: Receiver, shop = SHOP): Promise<void> {
  const answer = await fetch(`${server.url}/config?shop=${shop}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify({ ...ERP_FIELDS, erp_base_url: erp.url }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** Replaces what is in the queue by `count` orders for the ERP, spread over the stores. */
export async function fillBacklog(side: Side, count: number): Promise<void> {
  // DELETE is forbidden on the ledger.
  await side.db.query("TRUNCATE integration_queue, delivery_attempts, channel_minutes");
  await side.db.query(
    `WITH event AS (SELECT gen_random_uuid()::text AS id, n,
      ($1::text[])[1 + n % array_length($1::text[], 1)] AS shop FROM generate_series(1, $2::int) n),
     ledger AS (
       INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
         entity_id, destinations, priority, payload_sha256, occurred_at)
       SELECT shop, id, id, 'manual', 'order.created', 'order', n, '["erpsys"]', 2, '', clock_timestamp() FROM event
     )
     INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
       entity_id, payload, priority, max_retries)
     SELECT shop, id, 'erpsys', 'manual', 'order.created', 'order', n,
       '{"name":"#1","total_price":"12.50"}', 2, 4 FROM event`,
    [STORES, count],
  );
  await side.db.query("ANALYZE integration_queue, event_ledger");
}
