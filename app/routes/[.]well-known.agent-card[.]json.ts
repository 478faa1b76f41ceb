import { buildAgentCard } from "../domain/agents/agent-card.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { AgentCard } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's agent card, in the version of A2A that `A2A-Version` names.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The card.", 304: "It is the one that If-None-Match names." },
    result: AgentCard,
    handle: async ({ ctx, request, tenant }) =>
      publicDocument(
        request,
        buildAgentCard(tenant, addressFor(ctx, request, tenant), request.header("a2a-version")),
        { varies: ["A2A-Version"], now: ctx.clock.now() },
      ),
  },
});
