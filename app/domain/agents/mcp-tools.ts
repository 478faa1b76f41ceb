// The tools of /mcp that are about the shopper, as values. Tools of commerce join this list from a subject of their own.
import type { Ctx } from "../../context.server.ts";
import type { Person } from "../identity/account.ts";
import { showMe, showProfile } from "../identity/profile.ts";
import type { Tenant } from "../tenants/tenant.ts";

type McpTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  outputSchema: object;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
};

type RunnableTool = McpTool & { run(ctx: Ctx, tenant: Tenant, person: Person): Promise<object> };

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const CONSENTS = { type: "object", additionalProperties: { type: "boolean" } };

export const IDENTITY_TOOLS: readonly RunnableTool[] = [
  {
    name: "get_identity",
    title: "The shopper's profile",
    description: "The shopper who let you act: person, consents, tags, segment, language and linked sign-ins.",
    inputSchema: NO_ARGUMENTS,
    outputSchema: { type: "object", properties: { user: { type: "object" }, consents: CONSENTS, tags: { type: "array" }, linked_providers: { type: "array", items: { type: "string" } } }, required: ["user", "consents", "tags", "linked_providers"] },
    annotations: READS,
    run: (ctx, tenant, person) => showProfile(ctx, tenant, person),
  },
  {
    name: "get_consent",
    title: "The shopper's consents",
    description: "What the shopper consents to at this moment; `a2a` is access by agents, `ap2` payments by agents.",
    inputSchema: NO_ARGUMENTS,
    outputSchema: { type: "object", properties: { consents: CONSENTS }, required: ["consents"] },
    annotations: READS,
    run: async (_ctx, _tenant, person) => ({ consents: showMe(person).consents }),
  },
];

/** A tool as clients are told of it. */
export const describeTool = ({ name, title, description, inputSchema, outputSchema, annotations }: McpTool): McpTool => ({ name, title, description, inputSchema, outputSchema, annotations });
