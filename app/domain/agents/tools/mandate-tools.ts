// Payment mandates: what the shopper lets agents spend. Creating one needs `consent_ap2` beside the
// consent for agents.
import { z } from "zod";
import { readKeyCursor, toKeyCursor } from "../../../runtime/database/key-cursor.ts";
import { withIdempotencyKey } from "../../commerce/idempotency.ts";
import { MANDATE_STATUSES, MandateInput } from "../../commerce/mandate.ts";
import { createMandate, getMandate, listMandates, revokeMandate } from "../../commerce/mandates.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import {
  CREATES,
  Meta,
  OBJECT,
  Page,
  READS,
  refusableOutput,
  REPLACES,
  shopperTool,
  type AgentTool,
} from "./tool.ts";

const shared = {
  scope: "commerce.mandates:create",
  isOffered: (tenant: Tenant) => tenant.config.agent_payments_enabled,
} as const;
const MANDATE = refusableOutput({
  mandate_id: { type: "string" },
  status: { enum: MANDATE_STATUSES },
  max_amount: { type: "string" },
  spent_amount: { type: "string" },
  currency: { type: "string" },
  agent_clients: { type: ["array", "null"], items: { type: "string" } },
});
const ById = z.strictObject({ meta: Meta.optional(), mandate_id: z.string().min(1).max(255) });

export const MANDATE_TOOLS: readonly AgentTool[] = [
  shopperTool({
    ...shared,
    name: "create_mandate",
    title: "Let agents pay up to an amount",
    description:
      "A signed payment mandate: an amount, a currency, a scope (`all`, `collection:<handle>` or `product:<gid>`) and a time. It is for the agent that makes it alone. Needs the shopper's consent to payments by agents.",
    input: z.strictObject({ meta: Meta.optional(), ...MandateInput.shape }),
    output: MANDATE,
    annotations: CREATES,
    async run(
      { ctx, tenant, person, userAgent, idempotencyKey, noteMoney },
      { max_amount, currency, scope, expires_in_hours, usage, agent_clients },
    ) {
      // In the member order of `/commerce/mandates`, so that an idempotency key means the same on both.
      const body = { max_amount, currency, scope, expires_in_hours, usage, agent_clients };
      const attempt = {
        key: idempotencyKey ?? undefined,
        person,
        operation: "mandate.create",
        body,
      };
      return (
        await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
          createMandate(ctx, tenant, person, body, { userAgent, keep, noteMoney }),
        )
      ).answer;
    },
  }),
  shopperTool({
    ...shared,
    name: "get_mandate",
    title: "One mandate",
    description: "A mandate of the shopper's own, and what is spent of it.",
    input: ById,
    output: MANDATE,
    annotations: READS,
    run: ({ ctx, tenant, person }, { mandate_id: id }) => getMandate(ctx, tenant, person, id),
  }),
  shopperTool({
    ...shared,
    name: "list_mandates",
    title: "The shopper's mandates",
    description: "The shopper's own mandates, newest first.",
    input: z.strictObject({ meta: Meta.optional(), ...Page }),
    output: {
      type: "object",
      properties: {
        mandates: { type: "array", items: OBJECT },
        next_cursor: { type: ["string", "null"] },
      },
      required: ["mandates", "next_cursor"],
    },
    annotations: READS,
    async run({ ctx, tenant, person }, { limit, cursor }) {
      const list = `mandates/${tenant.shop}/${person.account.id}`;
      const { mandates, next } = await listMandates(ctx, tenant, person, {
        limit,
        after: readKeyCursor(ctx.secrets, list, cursor),
      });
      return { mandates, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) };
    },
  }),
  shopperTool({
    ...shared,
    name: "revoke_mandate",
    title: "End a mandate",
    description: "Revokes a mandate: no further checkout is made under it. Safe to repeat.",
    input: ById,
    output: MANDATE,
    annotations: REPLACES,
    run: ({ ctx, tenant, person }, { mandate_id: id }) => revokeMandate(ctx, tenant, person, id),
  }),
];
