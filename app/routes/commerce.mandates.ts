import { MandateInput } from "../domain/commerce/mandate.ts";
import { createMandate, listMandates } from "../domain/commerce/mandates.ts";
import { respondIdempotently } from "../http/agents/idempotent-response.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE, AGENT_READ } from "../http/rate-limit.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { Mandate, Mandates } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The own payment mandates, newest first.",
    auth: "person",
    access: "viewed",
    agent: { scope: "commerce.mandates:create" },
    agentOperation: "list_mandates",
    tenant: "registered",
    rateLimit: AGENT_READ,
    query: Page,
    result: Mandates,
    async handle({ ctx, tenant, principal, query }) {
      const list = `mandates/${tenant.shop}/${principal.account.id}`;
      const page = { limit: query.limit, after: readKeyCursor(ctx.secrets, list, query.cursor) };
      const { mandates, next } = await listMandates(ctx, tenant, principal, page);
      return { mandates, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) };
    },
  },
  POST: {
    summary: "Lets agents pay up to an amount, within a scope and a time. Needs `consent_ap2`.",
    auth: "person",
    access: "changed",
    agent: { scope: "commerce.mandates:create" },
    agentOperation: "create_mandate",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    body: MandateInput,
    answers: {
      201: "The mandate, signed.",
      403: "`payment_consent_required`: the shopper has not consented to payments by agents.",
    },
    result: Mandate,
    handle: (call) =>
      respondIdempotently(call, { operation: "mandate.create", status: 201 }, (caller) =>
        createMandate(call.ctx, call.tenant, call.principal, call.body, caller),
      ),
  },
});
