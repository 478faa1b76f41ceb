// The agent card's skills (SPEC "Embeds and discovery"), and the tool of each: a skill's arguments
// are the tool's, or its payload alone.
type Arguments = Record<string, unknown>;
type ToolRequest = { tool: string; args: Arguments };

const CHECKOUT_ACTIONS = ["create", "get", "update", "complete", "cancel"];

/**
 * Accepts `{query}` as well as `{catalog: {query}}`; an id opens a product, ids look products up.
 */
function toCatalogRequest(args: Arguments): ToolRequest {
  const { meta, catalog = omit(args, ["meta"]) } = args as { meta?: unknown; catalog?: Arguments };
  const tool =
    "ids" in catalog ? "lookup_catalog" : "id" in catalog ? "get_product" : "search_catalog";
  return { tool, args: { ...(meta !== undefined && { meta }), catalog } };
}

/** `{action: "complete", id}`; without an action an id reads a checkout, and no id creates one. */
function toCheckoutRequest(args: Arguments): ToolRequest {
  const {
    action = "id" in args ? "get" : "create",
    meta,
    id,
    checkout = omit(args, ["action", "meta", "id"]),
  } = args;
  const name = typeof action === "string" && CHECKOUT_ACTIONS.includes(action) ? action : "create";
  const hasPayload = name === "create" || name === "update";
  return {
    tool: `${name}_checkout`,
    args: {
      ...(meta !== undefined && { meta }),
      ...(id !== undefined && { id }),
      ...(hasPayload && { checkout }),
    },
  };
}

const omit = (args: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
const always =
  (tool: string) =>
  (args: Arguments): ToolRequest => ({ tool, args });

export const SKILLS = [
  {
    id: "identity-linking",
    name: "Identity linking",
    description:
      "Links the agent to the shopper's account with the shopper's consent, and reads the unified profile.",
    tags: ["identity", "oauth"],
    toRequest: always("get_identity"),
  },
  {
    id: "consent-management",
    name: "Consent management",
    description:
      "Reads which consents the shopper gave, agent access and agent payments among them.",
    tags: ["consent", "privacy"],
    toRequest: always("get_consent"),
  },
  {
    id: "tag-sync",
    name: "Tag sync",
    description: "Reads the tags and the segment that the store keeps of the shopper.",
    tags: ["tags", "segments"],
    toRequest: always("get_tags"),
  },
  {
    id: "product-catalog",
    name: "Product catalog",
    description: "Searches the store's products with prices and availability. Needs no token.",
    tags: ["catalog", "search"],
    toRequest: toCatalogRequest,
  },
  {
    id: "checkout-session",
    name: "Checkout session",
    description: "Prepares a checkout for the shopper and follows it until it is completed.",
    tags: ["checkout", "orders"],
    toRequest: toCheckoutRequest,
  },
] as const;

/** Skills whose tools are public. */
export const OPEN_SKILLS: readonly string[] = ["product-catalog"];

/**
 * The request in a data part: `{skill, arguments}`, `{tool, arguments}`, or `{action: <tool>, …}`.
 * Null for anything else.
 */
export function readSkillRequest(data: unknown): ToolRequest | null {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  const { skill, tool, action, arguments: given } = data as Arguments;
  const args =
    typeof given === "object" && given !== null && !Array.isArray(given)
      ? (given as Arguments)
      : omit(data as Arguments, ["skill", "tool", "action"]);
  if (typeof tool === "string") return { tool, args };
  const known = SKILLS.find(({ id }) => id === skill);
  if (known) return known.toRequest(typeof action === "string" ? { action, ...args } : args);
  return typeof action === "string" ? { tool: action, args } : null;
}
