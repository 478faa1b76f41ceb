// What an agent asks for, by the names of its tools; the REST routes are counted under the same ones.
// Only these names are stored: a name that a caller makes up never is.

export const KINDS = [
  "search",
  "cart",
  "checkout",
  "order",
  "profile",
  "mandate",
  "access",
] as const;
export type ActivityKind = (typeof KINDS)[number];

export const OPERATIONS = {
  search_catalog: "search",
  lookup_catalog: "search",
  get_product: "search",
  create_cart: "cart",
  get_cart: "cart",
  update_cart: "cart",
  cancel_cart: "cart",
  create_checkout: "checkout",
  get_checkout: "checkout",
  update_checkout: "checkout",
  complete_checkout: "checkout",
  cancel_checkout: "checkout",
  /** The storefront's order for an agent's checkout: money is spent. */
  pay_checkout: "checkout",
  get_order: "order",
  list_orders: "order",
  get_return: "order",
  get_identity: "profile",
  get_consent: "profile",
  get_tags: "profile",
  list_tasks: "profile",
  create_mandate: "mandate",
  get_mandate: "mandate",
  export_mandate: "mandate",
  list_mandates: "mandate",
  revoke_mandate: "mandate",
  link_agent: "access",
  unlink_agent: "access",
} as const satisfies Record<string, ActivityKind>;

export type AgentOperation = keyof typeof OPERATIONS;

export const isOperation = (name: string): name is AgentOperation =>
  Object.hasOwn(OPERATIONS, name);

export const operationsOf = (kind: ActivityKind): AgentOperation[] =>
  (Object.keys(OPERATIONS) as AgentOperation[]).filter((name) => OPERATIONS[name] === kind);

export const kindOf = (operation: string): ActivityKind | null =>
  isOperation(operation) ? OPERATIONS[operation] : null;
