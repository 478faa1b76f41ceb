// What responses to the app's extensions in the store admin say.
import { z } from "zod";
import { Timestamp } from "./outcome.ts";

export const CustomerSummary = z
  .object({
    status: z.string(),
    consents: z.array(z.object({ type: z.string(), state: z.string(), at: Timestamp.nullable() })),
    tags: z.array(z.object({ slug: z.string(), name: z.string(), source: z.string() })),
    store_tags: z.array(z.string()).meta({ description: "The merchant's own, not managed here." }),
    systems: z.array(
      z.object({ channel: z.string(), status: z.string(), at: Timestamp.nullable() }),
    ),
    time_zone: z.string().meta({ description: "The store's, in which its staff reads the times." }),
    events: z
      .array(
        z.object({
          kind: z.string(),
          at: Timestamp,
          change: z.string(),
          subject: z.string().nullable(),
        }),
      )
      .meta({ description: "The last ones, newest first." }),
    url: z.string(),
  })
  .nullable()
  .meta({ description: "Null for a customer that the app does not know." });

/** A bulk run over a segment of the store admin. */
export const TagRun = z
  .object({
    id: z.uuid(),
    kind: z.string(),
    state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
    started_at: Timestamp,
    total: z
      .int()
      .meta({ description: "First as the store counts the members, then those known here." }),
    processed: z.int(),
    changed: z.int(),
    refused: z.int(),
    unknown: z.int().meta({ description: "Members that the app does not know, and leaves out." }),
  })
  .meta({ id: "TagRun" });
