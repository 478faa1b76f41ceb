// What the extension in the store's customer accounts is answered.
import { z } from "zod";
import { CONSENT_TYPES } from "../../../domain/consent/consent-types.ts";
import { LinkedAgents } from "./agents.ts";
import { Mandate } from "./commerce.ts";
import { Timestamp } from "./outcome.ts";

export const OwnOverview = z
  .object({
    customer: z.object({ email: z.string().nullable(), name: z.string().nullable() }),
    consents: z.array(
      z.object({
        type: z.enum(CONSENT_TYPES),
        granted: z.boolean(),
        state: z.enum(["granted", "declined", "withdrawn", "not_asked"]),
        decided_at: Timestamp.nullable(),
        changeable: z.boolean(),
      }),
    ),
    agents: LinkedAgents.shape.grants,
    mandates: z.array(Mandate.omit({ signature: true, proof: true, customer_id: true })),
    confirmation: z.string(),
  })
  .meta({ id: "OwnOverview", description: "A customer's consents, agents and mandates." });

export const ExportLink = z.object({ url: z.url(), expires_at: Timestamp });
