// Signed webhooks, each of another person, as fast as 64 connections accept them.
import autocannon from "autocannon";
import { sign, SHOP } from "../../support/service.ts";
import { webhookOf } from "../../support/bus/webhook-load.ts";
import { percentile } from "./percentile.ts";

export type Round = { perSecond: number; p50: number; p99: number; refused: number };

let next = 0;

/** Signing and building happen before the clock starts, so that they cost neither side. */
function prepare(count: number): { body: string; headers: Record<string, string> }[] {
  return Array.from({ length: count }, () => {
    const { id, raw } = webhookOf(next++);
    return {
      body: raw,
      headers: {
        "Content-Type": "application/json",
        "X-Shopify-Shop-Domain": SHOP,
        "X-Shopify-Webhook-Id": id,
        "X-Shopify-Hmac-SHA256": sign(raw),
      },
    };
  });
}

export async function runRound(url: string, seconds: number, connections = 64): Promise<Round> {
  const prepared = prepare(16_000 * seconds);
  const times: number[] = [];
  const result = await new Promise<Parameters<Parameters<typeof autocannon>[1]>[1]>(
    (done, reject) => {
      // A throw in here would end the process: when no request is left the last one is repeated, and the
      // round does not count.
      const request = {
        method: "POST",
        path: "/webhooks/customer-update",
        setupRequest: (base: object) => ({
          ...base,
          ...(prepared.length > 1 ? prepared.pop() : prepared[0]),
        }),
      };
      const run = autocannon(
        { url, connections, duration: seconds, requests: [request] },
        (error, answer) => (error ? reject(error) : done(answer)),
      );
      run.on("response", (_client: unknown, _status: number, _bytes: number, ms: number) =>
        times.push(ms),
      );
    },
  );
  if (prepared.length <= 1)
    throw new Error("more requests were answered than were prepared: prepare more");
  return {
    perSecond: result["2xx"] / result.duration,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    refused: result.non2xx + result.errors + result.timeouts,
  };
}
