// What a caller acts on may end while the storefront answers: the account, its sessions, the shopper's
// consent, the agent's grant, and the merchant's switches. The transaction that writes after the answer
// checks them again.
import type { Ctx } from "../../../context.server.ts";
import type {
  Columns,
  OauthGrant,
  StorefrontUser,
  TenantSql,
  UserClaims,
} from "../../../db.server.ts";
import { AppError, isAppError, type ErrorCode } from "../../../runtime/errors.ts";
import type { Person } from "../account.ts";
import { epochOf } from "../links.ts";
import { dataOf, getTenant, type Tenant } from "../../tenants/tenant.ts";

/**
 * Runs `work` in a transaction in which the caller still has access. Throws what the caller's next call
 * would be answered with. `current`: the tenant as it is now.
 */
export async function withCaller<T>(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  work: (sql: TenantSql, current: Tenant) => Promise<T>,
): Promise<T> {
  const current = await getTenant(ctx, tenant.shop);
  if (person.isAgent && !current.config.agent_access_enabled)
    throw new AppError("agent_access_disabled");
  // The store may have moved to another cell meanwhile.
  return dataOf(ctx, current).transaction(async (sql) => {
    await lockCaller(sql, person);
    return work(sql, current);
  });
}

type Standing = Columns<UserClaims, "consent_a2a" | "consent_ap2"> &
  Partial<Columns<OauthGrant, "ended_at" | "end_reason">>;

const CLAIMS =
  "SELECT consent_a2a, consent_ap2 FROM user_claims WHERE shop = $1 AND user_id = $2 FOR SHARE";
// The claims first, like a withdrawal, whose trigger ends the grants.
const CLAIMS_AND_GRANT = `
  SELECT c.consent_a2a, c.consent_ap2, g.ended_at, g.end_reason
  FROM user_claims c JOIN oauth_grants g ON g.shop = c.shop AND g.user_id = c.user_id
  WHERE c.shop = $1 AND c.user_id = $2 AND g.id = $3 FOR SHARE OF c, g`;

/**
 * The current person, consents and grant, locked until the commit: a concurrent revocation or reset comes
 * before or after. The person first, then the claims, in the order of a deletion; all before checkouts,
 * mandates and the consent log. Throws like `withCaller`.
 */
export async function lockCaller(
  sql: TenantSql,
  { account, grantId, isAgent }: Person,
): Promise<{ hasPayments: boolean }> {
  const invalid = () => new AppError(grantId === undefined ? "unauthorized" : "invalid_token");
  const [person] = await sql<Columns<StorefrontUser, "status" | "sessions_valid_after">>(
    "SELECT status, sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE",
    [account.id],
  );
  if (person?.status !== "active" || epochOf(person) !== epochOf(account)) throw invalid();
  const [standing] =
    grantId === undefined
      ? await sql<Standing>(CLAIMS, [account.id])
      : await sql<Standing>(CLAIMS_AND_GRANT, [account.id, grantId]);
  if (grantId !== undefined && !standing) throw invalid();
  if (isAgent) requireConsent(standing, invalid);
  return { hasPayments: standing?.consent_ap2 === true };
}

/** A grant that ended with the consent is no longer valid when the consent was given again. */
function requireConsent(standing: Standing | undefined, invalid: () => AppError): void {
  const { consent_a2a: hasConsent, ended_at: endedAt, end_reason: reason } = standing ?? {};
  const isOver = endedAt !== null && endedAt !== undefined;
  if (isOver && (hasConsent || reason !== "consent_withdrawn")) throw invalid();
  if (!hasConsent) throw new AppError("agent_consent_required");
}

const ACCESS_REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthorized",
  "invalid_token",
  "agent_consent_required",
  "agent_access_disabled",
  "payment_consent_required",
  "agent_payments_disabled",
]);

/** Whether a person's consent, a session or a switch of the store is missing: the same request is right once it is there. */
export const isAccessRefusal = (error: unknown): boolean =>
  isAppError(error) && ACCESS_REFUSALS.has(error.code);
