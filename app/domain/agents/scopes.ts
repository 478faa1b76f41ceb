// What an agent may be allowed to do, once: the scope on the wire, and whether it is given to an agent that names none.
// Names of UCP where it has one (ucp.dev "Identity Linking"), ours for the rest.
import type { Tenant } from "../tenants/tenant.ts";

type Scope = { isDefault: boolean; needsPayments?: true };

const SCOPES = {
  "identity:read": { isDefault: true },
  "dev.ucp.shopping.order:read": { isDefault: true },
  "dev.ucp.shopping.checkout:manage": { isDefault: true },
  // Money: only for who asks for it by name.
  "commerce.mandates:create": { isDefault: false, needsPayments: true },
} as const satisfies Record<string, Scope>;

export type AgentScope = keyof typeof SCOPES;

const isOffered = (tenant: Tenant, scope: Scope): boolean =>
  !scope.needsPayments || tenant.config.agent_payments_enabled;

/** The scopes of this store, in the order in which they are shown. */
export function offeredScopes(tenant: Tenant): AgentScope[] {
  return (Object.entries(SCOPES) as [AgentScope, Scope][])
    .filter(([, scope]) => isOffered(tenant, scope))
    .map(([name]) => name);
}

/** Those of a space-separated list; the usual ones when nothing is named; null when one is not offered here. */
export function parseScopes(tenant: Tenant, text: string | undefined): AgentScope[] | null {
  const offered = offeredScopes(tenant);
  const named = new Set((text ?? "").split(" ").filter(Boolean));
  if (named.size === 0) return offered.filter((name) => SCOPES[name].isDefault);
  const known = offered.filter((name) => named.has(name));
  return known.length === named.size ? known : null;
}
