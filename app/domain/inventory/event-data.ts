// What is stored of events, webhooks and their deliveries: a part of the inventory (data-sets.ts).
import type { DataSet } from "./data-set.ts";

export const EVENTS: DataSet = {
  tables: {
    integration_queue: {
      holds:
        "events on their way to connected systems, with the message that was sent; those that could not be delivered until they are replayed",
      people: ["shoppers"],
      rules: [
        {
          rows: "delivered_events",
          sweep: "id",
          column: "created_at",
          where: "status = 'delivered' AND archived_at IS NOT NULL",
          after: "event_log_retention_days",
        },
      ],
      end: "settled",
    },
    event_ledger: {
      holds:
        "that an event was accepted: type, time, a hash of its content, keyed hashes of people",
      people: ["shoppers"],
      end: "log",
    },
    delivery_attempts: {
      holds:
        "attempts to deliver: channel, status, duration, and the error, which may quote what a system refused",
      people: ["shoppers"],
      rules: [
        {
          rows: "delivery_attempts",
          sweep: "id",
          column: "created_at",
          where: "true",
          after: "delivery_log_retention_days",
        },
      ],
      end: null,
    },
    delivery_exchanges: {
      holds:
        "the first 4 kB of what was sent at an attempt and of what was answered, encrypted, without credentials",
      people: ["shoppers"],
      rules: [
        {
          rows: "delivery_exchanges",
          sweep: "region",
          column: "created_at",
          where: "true",
          after: 14,
        },
      ],
      end: null,
    },
    channel_minutes: {
      holds:
        "counts of attempts per system and minute: delivered, failed, skipped, and how long they took",
      people: ["none"],
      rules: [
        {
          rows: "delivery_counts",
          sweep: "region",
          column: "minute",
          where: "true",
          after: 8,
        },
      ],
      end: null,
    },
    channel_hours: {
      holds: "the same counts per hour",
      people: ["none"],
      rules: [
        {
          rows: "hourly_delivery_counts",
          sweep: "region",
          column: "hour",
          where: "true",
          after: 90,
        },
      ],
      end: null,
    },
    webhook_inbox: {
      holds:
        "webhooks of the store: topic and times, and the content until it is processed; of a failed one until its row is deleted",
      people: ["shoppers"],
      rules: [
        {
          rows: "processed_webhooks",
          sweep: "id",
          column: "received_at",
          where: "status IN ('done', 'failed')",
          after: "webhook_retention_days",
        },
      ],
      end: "settled",
    },
  },
  objects: [
    {
      path: "events/{channel}/{date}/",
      holds:
        "each delivered message; `dead_letter` has those that failed, `warehouse` the warehouse's events, which identify no person",
      people: ["shoppers"],
      rule: { objects: "archived_messages", after: "archive_retention_days" },
      end: null,
    },
    {
      path: "probes/",
      holds: "a test file of a connection test",
      people: ["none"],
      end: "passing",
    },
  ],
};
