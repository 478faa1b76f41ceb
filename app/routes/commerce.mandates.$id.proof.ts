import { exportProof, ProofQuery } from "../domain/agents/ap2/export-proof.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { MandateProof } from "../http/openapi/results/mandate-proof.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A mandate as AP2's signed mandates, which a payment processor can check by itself.",
    auth: "person_or_admin",
    access: "viewed",
    agent: { scope: "commerce.mandates:create" },
    agentOperation: "export_mandate",
    tenant: "registered",
    rateLimit: AGENT_READ,
    query: ProofQuery,
    answers: {
      200: "The open mandates, and closed ones for each confirmed checkout, newest first, at most 10.",
    },
    result: MandateProof,
    async handle({ ctx, tenant, principal, params, query, accessed }) {
      const { proof, customerId } = await exportProof(
        ctx,
        tenant,
        principal,
        params.id ?? "",
        query,
      );
      accessed({ userIds: [customerId] });
      return json(200, proof, { "Cache-Control": "no-store" });
    },
  },
});
