// Storefront webhooks under load, with each response recorded.
import { setTimeout as pause } from "node:timers/promises";
import { customerPayload } from "../storefront/payloads.ts";
import { sign, SHOP } from "../service.ts";

export type Sent = { id: string; status: number; begunAt: number; endedAt: number };

const FIRST_CUSTOMER = 9_007_199_254_740_993n;

/** One person's `customers/update` with every field, so that nothing has to be fetched. */
export function webhookOf(n: number): { id: string; raw: string } {
  const customer = FIRST_CUSTOMER + BigInt(n) * 2n;
  const raw = customerPayload({
    id: String(customer),
    admin_graphql_api_id: `"gid://shopify/Customer/${customer}"`,
    email: `"person-${n}@example.com"`,
    first_name: `"Person ${n}"`,
  });
  return { id: `delivery-${n}`, raw };
}

/** Status 0: no response. */
export async function sendWebhook(
  url: string,
  n: number,
  shop = SHOP,
  secret?: string,
): Promise<Sent> {
  const { id, raw } = webhookOf(n);
  const begunAt = performance.now();
  const headers = {
    "Content-Type": "application/json",
    "X-Storefront-Hmac-SHA256": sign(raw, secret),
    "X-Storefront-Shop-Domain": shop,
    "X-Shopify-Webhook-Id": id,
  };
  const status = await fetch(`${url}/webhooks/customer-update`, {
    method: "POST",
    headers,
    body: raw,
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  return { id, status, begunAt, endedAt: performance.now() };
}

/** Long enough that the senders leave the processor to what they wait for. */
const PAUSE_MS = 20;
/** A rejected sender waits longer: its calls slow the start that it waits for. */
const PAUSE_AFTER_REJECTION_MS = 100;

/** Sends continuously, several at once, until stopped. */
export function startLoad(
  url: () => string,
  atOnce = 8,
): { sent: Sent[]; stop(): Promise<Sent[]> } {
  const sent: Sent[] = [];
  let next = 0;
  let isWanted = true;
  const loops = Array.from({ length: atOnce }, async () => {
    while (isWanted) {
      const answer = await sendWebhook(url(), next++);
      sent.push(answer);
      await pause(answer.status === 200 ? PAUSE_MS : PAUSE_AFTER_REJECTION_MS);
    }
  });
  return {
    sent,
    async stop() {
      isWanted = false;
      await Promise.all(loops);
      return sent;
    },
  };
}

export const countByStatus = (sent: readonly { status: number }[]): Record<string, number> =>
  sent.reduce<Record<string, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  );
