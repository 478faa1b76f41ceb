// Tools about the shopper: identity and consents.
import { z } from "zod";
import { showProfile } from "../../identity/profile.ts";
import { Meta, READS, shopperTool, type AgentTool } from "./tool.ts";

const NoArguments = z.strictObject({ meta: Meta.optional() });
const CONSENTS = { type: "object", additionalProperties: { type: "boolean" } };

export const SHOPPER_TOOLS: readonly AgentTool[] = [
  shopperTool({
    name: "get_identity",
    title: "The shopper's profile",
    description:
      "The shopper who let you act: person, consents, tags, segment, language and linked sign-ins.",
    input: NoArguments,
    output: {
      type: "object",
      properties: {
        user: { type: "object" },
        consents: CONSENTS,
        tags: { type: "array" },
        linked_providers: { type: "array", items: { type: "string" } },
      },
      required: ["user", "consents", "tags", "linked_providers"],
    },
    annotations: READS,
    scope: "identity:read",
    run: ({ ctx, tenant, person }) => showProfile(ctx, tenant, person),
  }),
  shopperTool({
    name: "get_consent",
    title: "The shopper's consents",
    description:
      "What the shopper consents to at this moment; `a2a` is access by agents, `ap2` payments by agents.",
    input: NoArguments,
    output: { type: "object", properties: { consents: CONSENTS }, required: ["consents"] },
    annotations: READS,
    scope: "identity:read",
    run: async ({ person }) => ({ consents: person.consents }),
  }),
  shopperTool({
    name: "get_tags",
    title: "The shopper's tags",
    description: "The tags and the segment that the store keeps of the shopper.",
    input: NoArguments,
    output: {
      type: "object",
      properties: { tags: { type: "array" }, segment_id: { type: ["string", "null"] } },
      required: ["tags", "segment_id"],
    },
    annotations: READS,
    scope: "identity:read",
    async run({ ctx, tenant, person }) {
      const { tags, segment_id } = await showProfile(ctx, tenant, person);
      return { tags, segment_id };
    },
  }),
];
