// Where third-party cookies are blocked, a sign-in returns a one-time code in the address's
// fragment, which the page exchanges for the token (DECISIONS 6). Redirects keep the fragment, so
// the code alone is not enough: the tab that started keeps a verifier, and only its SHA-256 was
// sent at the start (like PKCE, RFC 7636).
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { findKey, putKey, takeKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { secretEquals } from "../../../runtime/secrets.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { getAccount, type Account } from "../account.ts";
import { epochOf } from "../links.ts";

/** Base64url of a SHA-256. */
export const HandOffChallenge = z.string().regex(/^[\w-]{43}$/);

export const HandOffInput = z.object({
  code: z.string().min(1).max(200),
  handoff_verifier: z.string().max(200).default(""),
});

type SessionCode = { user_id: number; epoch: string | null; challenge: string };

export async function createSessionCode(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  challenge: string,
): Promise<string> {
  const code = ctx.random.bytes(24).toString("base64url");
  const kept: SessionCode = { user_id: account.id, epoch: epochOf(account), challenge };
  const key = KEYS.sessionCode(hash("sha256", code));
  await putKey(dataOf(ctx, tenant).sql, key, kept, TTL_SECONDS.sessionCode);
  return code;
}

/**
 * Throws `invalid_code`. A wrong verifier does not use the code up: it stays valid for the tab with
 * the right one.
 */
export async function exchangeSessionCode(
  ctx: Ctx,
  tenant: Tenant,
  { code, handoff_verifier: verifier }: z.output<typeof HandOffInput>,
): Promise<Account> {
  const { sql, transaction } = dataOf(ctx, tenant);
  const key = KEYS.sessionCode(hash("sha256", code));
  const challenge = (await findKey<SessionCode>(sql, key))?.value.challenge;
  if (!challenge || !secretEquals(hash("sha256", verifier, "base64url"), challenge))
    throw new AppError("invalid_code");
  // Together: an account that cannot be read at this moment does not use the code up.
  return transaction(async (within) => {
    const kept = await takeKey<SessionCode>(within, key);
    if (!kept) throw new AppError("invalid_code");
    const account = await getAccount(within, kept.user_id);
    // A sign-out, a new password or a deletion that ended the person's sessions meanwhile ended this one too.
    if (account.status !== "active" || epochOf(account) !== kept.epoch)
      throw new AppError("invalid_code");
    return account;
  });
}
