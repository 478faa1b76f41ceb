// What responses say of consents: decisions, the log, receipts.
import { z } from "zod";
import { Timestamp } from "./outcome.ts";

export const RecordedConsents = z.array(
  z.object({ consent_type: z.string(), action: z.enum(["granted", "revoked"]) }),
);

const Outcome = z.enum(["granted", "declined", "withdrawn"]);

export const ConsentRecord = z
  .object({
    id: z.int(),
    user_id: z.int().nullable(),
    consent_type: z.string(),
    action: z.string(),
    method: z.string(),
    consent_version: z.string().nullable(),
    consent_id: z.string(),
    user_agent: z.string().nullable(),
    ga_session_id: z.string().nullable(),
    timestamp: z
      .string()
      .nullable()
      .meta({ description: "The time of the client, as it was sent." }),
    created_at: Timestamp,
    outcome: Outcome.optional(),
  })
  .meta({ id: "ConsentRecord" });

export const ConsentReceipt = z
  .object({
    consentReceiptID: z.string(),
    version: z.string(),
    consentTimestamp: Timestamp,
    collectionMethod: z.string(),
    piiPrincipalId: z.string(),
    piiControllers: z.array(
      z.object({ name: z.string(), domain: z.string(), email: z.string().optional() }),
    ),
    policyUrl: z.string().nullable(),
    policyVersion: z.string().nullable(),
    policyHash: z.string().nullable(),
    sourcePage: z.string().nullable(),
    globalPrivacyControl: z.boolean(),
    services: z.array(
      z.object({
        purpose: z.string(),
        action: z.string(),
        outcome: Outcome.optional(),
        clientTime: z.string().nullable(),
        chain: z.object({ seq: z.int(), hash: z.string(), previous: z.string() }),
      }),
    ),
  })
  .meta({ id: "ConsentReceipt", description: "In the fields of the Kantara consent receipt." });

export const ConsentLogCheck = z
  .object({
    ok: z.boolean(),
    rows: z.int(),
    problems: z.array(
      z.object({
        seq: z.int(),
        id: z.int().nullable(),
        kind: z.enum([
          "edited",
          "missing",
          "broken_link",
          "tail_missing",
          "head_missing",
          "checkpoint_mismatch",
          "checkpoint_forged",
          "checkpoint_missing",
        ]),
      }),
    ),
  })
  .meta({ id: "ConsentLogCheck" });
