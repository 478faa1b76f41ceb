// What a tool for agents is, over MCP and A2A alike. Tools are values; who may call one stands in its declaration, and both
// protocols check it before the tool runs.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Person } from "../../identity/account.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { PublicAddress } from "../public-address.ts";
import type { AgentScope } from "../scopes.ts";
import type { UcpTerms } from "../ucp-envelope.ts";

export type ToolCall = {
  ctx: Ctx;
  tenant: Tenant;
  address: PublicAddress;
  terms: UcpTerms;
  /** A retry with the same key and the same arguments is answered as before. */
  idempotencyKey: string | null;
  userAgent: string | null;
};
export type ShopperCall = ToolCall & { person: Person };

export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type AgentTool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodType;
  /** The capabilities of UCP that it belongs to; none: it is ours. */
  ucp: readonly string[];
  /** JSON Schema of the structured answer. */
  output: object;
  annotations: Annotations;
  /** Null: anybody may call it. Else what the shopper must have granted. */
  scope: AgentScope | null;
  isOffered(tenant: Tenant): boolean;
  run(call: ToolCall & { person: Person | null }, args: unknown): Promise<object>;
};

/** UCP's metadata of a call; clients that are no UCP platforms leave it out. */
export const Meta = z
  .looseObject({
    "ucp-agent": z
      .looseObject({
        profile: z.string().max(2_000).describe("The address of the platform's UCP profile."),
      })
      .optional(),
    "idempotency-key": z
      .string()
      .min(1)
      .max(255)
      .describe("A retry with the same key and arguments changes nothing twice.")
      .optional(),
  })
  .describe("Metadata of UCP.");

/** Of lists that are ours. */
export const Page = {
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(1_000).optional(),
};

type Described = Pick<AgentTool, "name" | "title" | "description" | "output" | "annotations"> & {
  ucp?: readonly string[];
  isOffered?: (tenant: Tenant) => boolean;
};

export const publicTool = <I extends z.ZodType>(
  tool: Described & { input: I; run(call: ToolCall, args: z.output<I>): Promise<object> },
): AgentTool => ({
  isOffered: () => true,
  ucp: [],
  ...tool,
  scope: null,
  run: (call, args) => tool.run(call, args as z.output<I>),
});

/** `agent_access_enabled` off takes it away for everybody. */
export const shopperTool = <I extends z.ZodType>(
  tool: Described & {
    input: I;
    scope: AgentScope;
    run(call: ShopperCall, args: z.output<I>): Promise<object>;
  },
): AgentTool => ({
  ucp: [],
  ...tool,
  isOffered: (tenant) => tenant.config.agent_access_enabled && (tool.isOffered?.(tenant) ?? true),
  run: (call, args) => {
    if (!call.person) throw new Error(`${tool.name} was called for nobody`);
    return tool.run({ ...call, person: call.person }, args as z.output<I>);
  },
});

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Makes something new at every call without an idempotency key. */
export const CREATES: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
export const REPLACES: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

export const OBJECT = { type: "object", additionalProperties: true };

/** The schema of an answer of UCP. Nothing but `ucp` is always there: a refusal has `messages` and no payload. */
export const ucpOutput = (properties: Record<string, object>): object => ({
  type: "object",
  properties: {
    ucp: {
      type: "object",
      properties: { version: { type: "string" }, status: { enum: ["success", "error"] } },
      required: ["version"],
    },
    messages: { type: "array", items: OBJECT },
    ...properties,
  },
  required: ["ucp"],
});
