// What responses say of events and their deliveries.
import { z } from "zod";
import { Timestamp } from "./outcome.ts";

export const DeliveryAttempt = z
  .object({
    event_id: z.string(),
    queue_id: z.int(),
    channel: z.string(),
    status: z.string(),
    http_status: z.int().nullable(),
    latency_ms: z.number(),
    attempt: z.int(),
    error: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: "DeliveryAttempt" });

const Delivery = {
  event_id: z.string(),
  channel: z.string(),
  delivery_log: z.object({
    status: z.enum([
      "delivered",
      "failed",
      "circuit_open",
      "dead_letter",
      "deferred",
      "lease_lost",
    ]),
    http_status: z.int().nullable(),
    latency_ms: z.number(),
    attempt: z.int(),
    error: z.string().nullable(),
  }),
};
export const Delivered = z.object({ ok: z.literal(true), ...Delivery }).meta({ id: "Delivered" });
export const NotDelivered = z
  .object({
    ok: z.literal(false),
    ...Delivery,
    error: z.string(),
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
  })
  .meta({ id: "NotDelivered" });

export const BusStatus = z
  .object({
    channels: z
      .record(
        z.string(),
        z.object({
          circuit: z.enum(["closed", "open"]),
          last_24h: z.object({ delivered: z.int(), failed: z.int(), pending: z.int() }),
        }),
      )
      .meta({
        examples: [
          {
            erp_generic: { circuit: "closed", last_24h: { delivered: 310, failed: 2, pending: 4 } },
          },
        ],
      }),
    dead_letter: z.object({ count: z.int(), oldest: Timestamp.nullable() }),
    throughput: z.object({ events_per_minute: z.number(), avg_latency_ms: z.number() }),
    waiting: z
      .record(
        z.string(),
        z.object({
          next_attempt_at: Timestamp.nullable(),
          circuit_open_until: Timestamp.nullable(),
        }),
      )
      .describe("Of the channels that have something waiting or an open circuit."),
  })
  .meta({ id: "BusStatus" });

export const Stored = z.object({
  ok: z.literal(true),
  event_id: z.string(),
  queued: z.int(),
  destinations: z.array(z.string()),
});
export const Duplicate = z.object({
  ok: z.literal(true),
  deduplicated: z.literal(true),
  event_id: z.string(),
});
