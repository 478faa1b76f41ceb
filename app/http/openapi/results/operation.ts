// What responses say to operators: destinations, registries, syncs, the scheduled run.
import { z } from "zod";
import { Timestamp } from "./outcome.ts";

export const Destinations = z
  .object({
    event_routes: z.array(
      z.object({
        event_type: z.string(),
        channels: z.array(z.string()),
        priority: z.int().optional(),
      }),
    ),
    enabled_channels: z.array(z.string()).nullable(),
    channels: z.array(
      z.object({
        name: z.string(),
        enabled: z.boolean(),
        marketing: z.boolean(),
        requires_consent: z.string().nullable(),
        can_be_tested: z.boolean(),
      }),
    ),
  })
  .meta({ id: "Destinations" });

export const Mapping = z
  .object({ fields: z.record(z.string(), z.string()), required: z.array(z.string()) })
  .meta({ id: "Mapping", description: "Target fields to source paths." });

export const FirmwareEntry = z
  .object({ mpn: z.string(), version: z.string(), sha256: z.string(), updated_at: Timestamp })
  .meta({ id: "Firmware" });

export const PublicHosts = z
  .object({
    token: z.string(),
    hosts: z.array(
      z.object({
        host: z.string(),
        state: z.enum(["unproven", "proven", "taken"]),
        record: z.string(),
      }),
    ),
  })
  .meta({ id: "PublicHosts" });

export const SyncCounts = z
  .object({
    ok: z.boolean(),
    processed: z.int(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    unfinished: z.literal(true).optional(),
  })
  .meta({ id: "SyncCounts" });

export const StoreMove = z
  .object({
    id: z.uuid(),
    shop: z.string(),
    from: z.string(),
    to: z.string(),
    state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
    step: z.enum(["prepare", "copy", "catch_up", "verify", "barrier", "clean", "undo", "done"]),
    progress: z
      .object({
        tables: z.int(),
        tables_copied: z.int(),
        lag_bytes: z.int().nullable(),
        rows: z.int(),
        rows_deleted: z.int(),
        barriers: z.int().meta({ description: "How often the barrier was opened again." }),
        waits_for: z.string().nullable(),
        refused_ms: z
          .int()
          .meta({ description: "How long the store's writes were refused at the flip." }),
      })
      .partial(),
    error: z.string().nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: "StoreMove" });

export const TenantSummary = z
  .object({
    shop: z.string(),
    region: z.string(),
    access_role: z.enum(["creator", "shared", "private"]),
    token: z.object({
      state: z.enum(["none", "valid", "reauth_required"]),
      expires_at: Timestamp.nullable(),
    }),
    registered_at: Timestamp,
    channels: z.array(z.string()),
  })
  .meta({ id: "Tenant" });

export const PrivacyRequest = z
  .object({
    request_id: z.int(),
    external_id: z.string().nullable(),
    kind: z.string(),
    state: z.string(),
    attempts: z.int(),
    last_error: z.string().nullable(),
    evidence: z.record(z.string(), z.unknown()).nullable(),
    received_at: Timestamp,
    due_by: Timestamp,
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: "PrivacyRequest" });

/** The answer to the storefront's privacy requests. */
export const ReceivedPrivacyRequest = z.object({
  ok: z.literal(true),
  request_id: z.int(),
  due_by: Timestamp,
});

export const RunReport = z
  .object({
    run_id: z.string(),
    state: z.enum(["running", "finished", "interrupted"]),
    cause: z.enum(["schedule", "manual"]),
    slot: z.int(),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    ms: z.number(),
    tenants: z.int(),
    steps: z
      .record(
        z.string(),
        z.object({
          done: z.int(),
          skipped: z.int(),
          failed: z.int(),
          cut: z.int().meta({ description: "Stores for which the run's time was over before." }),
          ms: z.number(),
          slowest_ms: z.number(),
          counts: z.record(z.string(), z.number()),
        }),
      )
      .meta({
        examples: [
          {
            token: {
              done: 1,
              skipped: 0,
              failed: 0,
              cut: 0,
              ms: 12,
              slowest_ms: 12,
              counts: { renewed: 1 },
            },
          },
        ],
      }),
    errors: z.array(
      z.object({
        shop: z.string(),
        step: z.string(),
        message: z.string(),
        system: z.string().optional().meta({ description: "The outside system that failed." }),
      }),
    ),
    errors_total: z.int(),
    expired_keys: z.int(),
    forgotten_rows: z.int(),
    resume_after: z.string().nullable(),
  })
  .meta({ id: "RunReport", description: "A run of the schedule, step by step." });

const StepDone = {
  step: z.enum(["backend", "storefront", "cms"]),
  created: z.int(),
  existing: z.int(),
};
export const TagStep = z.object({ ok: z.literal(true), ...StepDone });
export const TagSteps = z.object({
  ok: z.boolean(),
  step: z.literal("all"),
  created: z.int(),
  existing: z.int(),
  steps: z.array(
    z.union([
      TagStep,
      z.object({
        ok: z.literal(false),
        ...StepDone,
        error: z.object({
          code: z.string(),
          message: z.string(),
          fields: z.record(z.string(), z.string()).optional(),
        }),
      }),
    ]),
  ),
});
