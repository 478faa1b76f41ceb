// The scopes of agents, once: the name on the wire, and whether it is granted when a request names none.
// UCP's names where it has them (ucp.dev "Identity Linking"), ours for the rest.
import type { Tenant } from "../../tenants/tenant.ts";

type Scope = { isDefault: boolean; needsPayments?: true };

const SCOPES = {
  "identity:read": { isDefault: true },
  "dev.ucp.shopping.order:read": { isDefault: true },
  "dev.ucp.shopping.checkout:manage": { isDefault: true },
  // Payments: only when requested by name.
  "commerce.mandates:create": { isDefault: false, needsPayments: true },
} as const satisfies Record<string, Scope>;

export type AgentScope = keyof typeof SCOPES;

const isOffered = (tenant: Tenant, scope: Scope): boolean =>
  !scope.needsPayments || tenant.config.agent_payments_enabled;

/** The scopes of this store, in display order. */
export function offeredScopes(tenant: Tenant): AgentScope[] {
  return (Object.entries(SCOPES) as [AgentScope, Scope][])
    .filter(([, scope]) => isOffered(tenant, scope))
    .map(([name]) => name);
}

/**
 * The scopes of a space-separated list; the default ones when it is empty; null when one is not
 * offered here.
 */
export function parseScopes(tenant: Tenant, text: string | undefined): AgentScope[] | null {
  const offered = offeredScopes(tenant);
  const named = new Set((text ?? "").split(" ").filter(Boolean));
  if (named.size === 0) return offered.filter((name) => SCOPES[name].isDefault);
  const known = offered.filter((name) => named.has(name));
  return known.length === named.size ? known : null;
}
