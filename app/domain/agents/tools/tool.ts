// A tool for agents, over MCP and A2A alike. Tools are values that declare who may call them; both
// protocols check it before the tool runs.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { CallMoney } from "../../agent-activity/agent-call.ts";
import type { Person } from "../../identity/account.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { PublicAddress } from "../public-address.ts";
import type { AgentScope } from "../oauth/scopes.ts";
import type { UcpMessage, UcpTerms } from "../ucp/envelope.ts";
import type { PathOf } from "../ucp/refusals.ts";

export type ToolCall = {
  ctx: Ctx;
  tenant: Tenant;
  address: PublicAddress;
  terms: UcpTerms;
  /** What tells a caller without a shopper from others: address, token and platform. */
  caller: string;
  /** A retry with the same key and arguments gets the same response. */
  idempotencyKey: string | null;
  userAgent: string | null;
  /** What the call reserves or allows, for the record of agents' calls. */
  noteMoney(money: CallMoney): void;
};
export type ShopperCall = ToolCall & { person: Person };
/** Null: a tool that anybody may call. */
type AnyCall = ToolCall & { person: Person | null };

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
  /** The UCP capabilities that it belongs to; none for our own tools. */
  ucp: readonly string[];
  /** JSON Schema of the structured result. */
  output: object;
  annotations: Annotations;
  /** Null: public. Else the scope that the shopper must have granted. */
  scope: AgentScope | null;
  isOffered(tenant: Tenant): boolean;
  run(call: AnyCall, args: unknown): Promise<object>;
  /** Where a refusal's field is in the arguments. */
  pathOf?(args: unknown): PathOf;
  /** What a refused change left as it was: it is returned with the reasons (UCP "Update Checkout"). */
  showUnchanged?(call: AnyCall, args: unknown): Promise<{ messages?: UcpMessage[] }>;
};

/** UCP's metadata of a call; clients that are no UCP platforms omit it. */
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

/** Paging of our own lists. */
export const Page = {
  limit: z.int().min(1).max(100).describe("Entries of a page.").default(20),
  cursor: z.string().max(1_000).describe("next_cursor of the page before.").optional(),
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

/** `agent_access_enabled: false` removes it for every caller. */
export const shopperTool = <I extends z.ZodType>({
  run,
  pathOf,
  showUnchanged,
  ...tool
}: Described & {
  input: I;
  scope: AgentScope;
  run(call: ShopperCall, args: z.output<I>): Promise<object>;
  pathOf?(args: z.output<I>): PathOf;
  showUnchanged?(call: ShopperCall, args: z.output<I>): Promise<{ messages?: UcpMessage[] }>;
}): AgentTool => {
  const toShopperCall = (call: AnyCall): ShopperCall => {
    if (!call.person) throw new Error(`${tool.name} was called for nobody`);
    return { ...call, person: call.person };
  };
  return {
    ucp: [],
    ...tool,
    isOffered: (tenant) => tenant.config.agent_access_enabled && (tool.isOffered?.(tenant) ?? true),
    run: (call, args) => run(toShopperCall(call), args as z.output<I>),
    ...(pathOf && { pathOf: (args) => pathOf(args as z.output<I>) }),
    ...(showUnchanged && {
      showUnchanged: (call, args) => showUnchanged(toShopperCall(call), args as z.output<I>),
    }),
  };
};

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Creates something new at every call without an idempotency key. */
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

const TEXT = { type: "string" };

/**
 * The schema of a result of our own that may be a refusal: nothing is always present then. Some clients check
 * an error against the schema too, and would show the mismatch in place of the reason.
 */
export const refusableOutput = (properties: Record<string, object>): object => ({
  type: "object",
  properties: { ...properties, code: TEXT, message: TEXT, fields: OBJECT },
});

/**
 * The schema of a UCP result. Only `ucp` is always present: an error has `messages` and no payload.
 */
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
