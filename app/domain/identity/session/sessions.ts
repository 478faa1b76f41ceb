// One session for all three sign-in methods. Every check reads the person's row: tenant, status,
// `sessions_valid_after`.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import { putKey } from "../../../runtime/database/kv.ts";
import { KEYS, PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import type { ConsentFlags } from "../../consent/consent-types.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { dataOf, isCurrent, type Tenant } from "../../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  CLAIM_FLAGS,
  emailOf,
  toConsents,
  type Account,
  type ClaimRow,
} from "../account.ts";
import {
  mintToken,
  isOfFuture,
  readSessionToken,
  SESSION_SECONDS,
  type SessionClaims,
} from "./session-token.ts";

export type Session = {
  account: Account;
  consents: ConsentFlags;
  token: string;
  claims: SessionClaims;
};

/**
 * `stale_tenant`: the tenant's record changed since it was read, so the check must be repeated with
 * the new one.
 */
export type SessionCheck =
  { outcome: "valid"; session: Session } | { outcome: "invalid" } | { outcome: "stale_tenant" };

/**
 * A browser drops a cookie of more than 4,096 bytes, and a storefront's name may be longer than
 * that.
 */
const MAX_NAME_LENGTH = 200;

/**
 * Of a token that is issued in the second of an earlier end of all sessions. It is in the future when the database's
 * clock was ahead at that end and has been set back: such a token counts, or the person could not sign in until then.
 */
const firstValidIat = ({
  sessions_valid_after: validAfter,
}: Pick<Account, "sessions_valid_after">) => Math.ceil((validAfter?.getTime() ?? 0) / 1_000);

/**
 * A new token; after a reset in the same second it is dated after it, so that it stays valid. `at`: before the account
 * was read, so that a reset since then ends this session too.
 */
export function issueToken(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  at: Date = ctx.clock.now(),
): string {
  const iat = Math.max(Math.floor(at.getTime() / 1_000), firstValidIat(account));
  const claims: SessionClaims = {
    sub: String(account.id),
    email: emailOf(account) ?? "",
    name: (account.full_name ?? "").slice(0, MAX_NAME_LENGTH),
    provider: account.provider,
    iat,
    exp: iat + SESSION_SECONDS,
  };
  return mintToken(ctx.config, tenant, claims, ctx.random.bytes(8).toString("base64url"));
}

type SessionRow = Account &
  Columns<StorefrontUser, "created_at"> &
  ClaimRow & {
    place: number;
    is_revoked: boolean;
    tenant_version: number | null;
    platform_version: number | null;
  };

// One statement for the checks of all who wait at this moment, every part of it a look-up by
// primary key: the person with the consent flags, whether this token was signed out, and whether
// the tenant record we hold is still the newest. OFFSET 0 keeps the look-ups apart, and a list as
// JSON is taken to be equally long every time: without the first a planner may read whole tables,
// without the second it plans anew at every call, which costs more than the reading.
const SESSION_READ = `
  SELECT asked.place, person.*,
    (SELECT version FROM kv WHERE kv.shop = $1 AND kv.key = asked.revoked_key) IS NOT NULL AS is_revoked,
    (SELECT version FROM kv WHERE kv.shop = $1 AND kv.key = $3) AS tenant_version,
    (SELECT version FROM kv WHERE kv.shop = $4 AND kv.key = $5) AS platform_version
  FROM json_to_recordset($2::json) AS asked(place int, id int, revoked_key text)
  CROSS JOIN LATERAL (
    SELECT ${ACCOUNT_COLUMNS.map((column) => `u.${column}`).join(", ")}, u.created_at, ${CLAIM_FLAGS.map((flag) => `c.${flag}`).join(", ")}
    FROM storefront_users u LEFT JOIN user_claims c ON c.shop = u.shop AND c.user_id = u.id
    WHERE u.shop = $1 AND u.id = asked.id OFFSET 0
  ) AS person`;

type Asked = { id: number; revokedKey: string };
const reads = new WeakMap<Tenant, GroupCommit<Asked, SessionRow | undefined>>();

function readsOf(ctx: Ctx, tenant: Tenant): GroupCommit<Asked, SessionRow | undefined> {
  const known = reads.get(tenant);
  if (known) return known;
  const { sql } = dataOf(ctx, tenant);
  const made = createGroupCommit<Asked, SessionRow | undefined>(async (asked) => {
    const rows = await sql<SessionRow>(
      SESSION_READ,
      [
        JSON.stringify(
          asked.map(({ id, revokedKey }, place) => ({ place, id, revoked_key: revokedKey })),
        ),
        KEYS.tenant(tenant.shop),
        PLATFORM,
        PLATFORM_KEYS.config,
      ],
      "session-read",
    );
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return asked.map((_, place) => byPlace.get(place));
  });
  reads.set(tenant, made);
  return made;
}

export async function checkSession(ctx: Ctx, tenant: Tenant, token: string): Promise<SessionCheck> {
  const now = ctx.clock.now();
  const claims = readSessionToken(ctx.config, tenant, token, now);
  // An invalid token may be due to a new secret of the tenant that this process has not read yet.
  if (!claims)
    return (await isCurrent(ctx, tenant)) ? { outcome: "invalid" } : { outcome: "stale_tenant" };
  const revokedKey = KEYS.revokedToken(hash("sha256", token));
  const row = await readsOf(ctx, tenant).add({ id: Number(claims.sub), revokedKey });
  // Another region does not have the tenant's record: there it is read separately.
  const isFresh =
    tenant.region === HOME_REGION && row
      ? row.tenant_version === tenant.version.tenant &&
        (row.platform_version ?? 0) === tenant.version.platform
      : await isCurrent(ctx, tenant);
  if (!isFresh) return { outcome: "stale_tenant" };
  if (!row || row.is_revoked || isOver(row, claims) || isOfAnother(row, claims))
    return { outcome: "invalid" };
  if (isOfFuture(claims, now) && claims.iat !== firstValidIat(row)) return { outcome: "invalid" };
  // A sign-up that waited for verification was merged into another account: its sessions belong to that
  // account now.
  const person =
    row.merged_into === null
      ? row
      : await readsOf(ctx, tenant).add({ id: row.merged_into, revokedKey });
  if (person?.status !== "active" || isOver(person, claims)) return { outcome: "invalid" };
  return {
    outcome: "valid",
    session: { account: person, consents: toConsents(person), token, claims },
  };
}

const isOver = ({ sessions_valid_after: validAfter }: SessionRow, { iat }: SessionClaims) =>
  validAfter !== null && iat * 1_000 < validAfter.getTime();

/**
 * A restored backup gives the numbers of the accounts that it lacks to new ones. The address alone decides nothing:
 * that of an account can change.
 */
const isOfAnother = (row: SessionRow, { iat, email }: SessionClaims) =>
  (iat + 1) * 1_000 < row.created_at.getTime() && email !== (emailOf(row) ?? "");

/** Invalidates this token and its copies. */
export async function endSession(ctx: Ctx, tenant: Tenant, session: Session): Promise<void> {
  const secondsLeft = Math.max(
    1,
    session.claims.exp - Math.floor(ctx.clock.now().getTime() / 1_000),
  );
  await putKey(
    dataOf(ctx, tenant).sql,
    KEYS.revokedToken(hash("sha256", session.token)),
    true,
    secondsLeft,
  );
}

/**
 * The time before which tokens are invalid, for an UPDATE of the person's row. Tokens are dated to the
 * second, so the current second is included; a token issued right after an earlier end is dated to
 * that one, so it moves on.
 */
export const END_ALL_SESSIONS =
  "greatest(date_trunc('second', clock_timestamp()), sessions_valid_after) + interval '1 second'";

/**
 * Ends every session of the person, this one too; triggers end the agents' grants and the mandates
 * with them.
 */
export async function endEverySession(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Session,
): Promise<void> {
  await dataOf(ctx, tenant).sql(
    `UPDATE storefront_users SET sessions_valid_after = ${END_ALL_SESSIONS} WHERE shop = $1 AND id = $2`,
    [account.id],
  );
  ctx.log.info("sessions.ended", { shop: tenant.shop, user_id: account.id });
}
