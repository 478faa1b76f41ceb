// What a request records in the access log (domain/compliance/access-log): who called, taken from
// the authentication; what was done, as the route declares it; the customers, as the handler or the
// caller's own account names them.
import type { Ctx } from "../../context.server.ts";
import {
  recordAccess,
  type AccessAction,
  type Actor,
} from "../../domain/compliance/access-log/record-access.ts";
import type { Person } from "../../domain/identity/account.ts";
import { findAdminPrincipal, type AdminPrincipal } from "../../domain/tenants/admin-key.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { isAgentCall } from "../auth/agent-guard.ts";
import type { StaffMember } from "../auth/staff-guard.ts";
import { bearerToken } from "../auth/guards.ts";
import { AUTH_SCHEMES } from "../auth/schemes.ts";
import type { AnySpec } from "../endpoint.ts";
import { routePatternOf } from "./route-pattern.ts";

/** What a handler knows of an access; each field replaces what the declaration says. */
export type AccessNote = {
  action?: AccessAction;
  userIds?: readonly number[];
  count?: number;
  actor?: Actor;
  /** The action or tool behind the route's path. */
  part?: string;
  /** The answer is about no customer: there is nothing to record. */
  isNobody?: true;
};
export type NoteAccess = (note: AccessNote) => void;

/** A request with what its record needs; filled while it is answered. */
export type ServedAccess = {
  ctx: Ctx;
  request: ApiRequest;
  requestId: string;
  params: Record<string, string>;
  spec: AnySpec;
  tenant: Tenant | null;
  principal: unknown;
  isProxied: boolean;
  /** Null: the handler did not call `accessed`. */
  access: AccessNote | null;
};

/** A shopper who reads or changes their own data is not recorded; an export and a deletion are. */
const RECORDED_OF_SHOPPERS: ReadonlySet<AccessAction> = new Set(["exported", "erased"]);

/** Called after the handler. A declared access without an answer (4xx, 5xx) is not recorded. */
export async function recordServedAccess(served: ServedAccess, status: number): Promise<void> {
  const { ctx, request, requestId, params, spec, tenant, principal, access } = served;
  const action = access?.action ?? (status < 400 ? spec.access : undefined);
  if (!tenant || !action || access?.isNobody) return;
  const actor = access?.actor ?? actorOf(served, tenant);
  if (!actor || (actor.kind === "shopper" && !RECORDED_OF_SHOPPERS.has(action))) return;
  const method = request.method === "HEAD" ? "GET" : request.method;
  const path = `${method} ${routePatternOf(request.url.pathname, params)}`;
  await recordAccess(ctx, tenant, {
    actor,
    action,
    userIds: access?.userIds ?? (isPerson(principal) ? [principal.account.id] : []),
    count: access?.count ?? null,
    place: access?.part === undefined ? path : `${path} ${access.part}`,
    requestId,
  });
}

const isPerson = (principal: unknown): principal is Person =>
  typeof principal === "object" && principal !== null && "account" in principal;

/** Null for callers that no scheme identifies. */
function actorOf(
  { ctx, request, spec, principal, isProxied }: ServedAccess,
  tenant: Tenant,
): Actor | null {
  if (isPerson(principal)) {
    if (principal.clientId !== undefined) return { kind: "agent", id: principal.clientId };
    // As the guard: a session outside a browser's page is an agent where agents need the consent.
    const mayBeAgent = spec.agent?.needsConsent === true && !isProxied;
    return mayBeAgent && isAgentCall(ctx, request, tenant)
      ? { kind: "agent", id: null }
      : { kind: "shopper", id: null };
  }
  if (spec.auth === "staff") return { kind: "staff", id: (principal as StaffMember).staffId };
  if (principal !== null) return { kind: "operator", id: (principal as AdminPrincipal).kind };
  const token = AUTH_SCHEMES[spec.auth].isPerson ? bearerToken(request) : null;
  return token
    ? { kind: "operator", id: findAdminPrincipal(ctx, tenant, token)?.kind ?? null }
    : null;
}
