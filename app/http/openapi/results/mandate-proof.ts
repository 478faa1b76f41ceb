// What responses say of a mandate's proof.
import { z } from "zod";
import { CHECKS, REASONS } from "../../../domain/agents/ap2/proof-checks.ts";
import { Timestamp } from "./outcome.ts";

const Pair = {
  checkout_mandate: z.string().describe("An SD-JWT, or two of a chain."),
  payment_mandate: z.string().describe("An SD-JWT, or two of a chain."),
};

export const MandateProof = z
  .object({
    ap2_version: z.literal("0.2.0"),
    mandate_id: z.uuid(),
    status: z.enum(["active", "used", "expired", "revoked"]),
    merchant: z.object({ id: z.string(), name: z.string(), website: z.string() }),
    issuer: z.string(),
    keys_url: z.string().describe("The store's manifest; its `keys` verify every signature."),
    open: z.object(Pair),
    checkouts: z.array(
      z.object({
        checkout_id: z.uuid(),
        status: z.enum(["complete_in_progress", "completed"]),
        ...Pair,
      }),
    ),
  })
  .meta({ id: "MandateProof", description: "A mandate as AP2's open and closed mandates." });

export const CheckedProof = z
  .object({
    is_authentic: z.boolean().describe("The store made all of it, for these amounts."),
    is_usable: z.boolean().describe("All of it may be spent now."),
    mandates: z.array(
      z.object({
        type: z.string().nullable(),
        is_authentic: z.boolean(),
        is_usable: z.boolean(),
        checks: z.array(
          z.object({
            check: z.enum(CHECKS),
            outcome: z.enum(["passed", "failed", "not_checked"]),
            reason: z.enum(REASONS).nullable(),
          }),
        ),
        content: z
          .object({
            mandate_id: z.uuid(),
            merchant: z.string(),
            amount: z.string().nullable(),
            currency: z.string().nullable(),
            expires_at: Timestamp,
            audience: z.string().nullable(),
            nonce: z.string().nullable(),
          })
          .nullable(),
      }),
    ),
  })
  .meta({ id: "CheckedProof", description: "What holds of a mandate's proof." });
