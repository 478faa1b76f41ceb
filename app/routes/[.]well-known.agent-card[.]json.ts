import { buildAgentCard } from "../domain/agents/agent-card.ts";
import { addressFor, publicDocument } from "../http/discovery.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's agent card, in the version of A2A that `A2A-Version` names.",
    auth: "none",
    tenant: "registered",
    answers: { 200: "The card.", 304: "It is the one that If-None-Match names." },
    handle: async ({ ctx, inbound, tenant }) =>
      publicDocument(
        inbound,
        buildAgentCard(tenant, addressFor(ctx, inbound, tenant), inbound.header("a2a-version")),
        ["A2A-Version"],
      ),
  },
});
