// Where third-party cookies are blocked, a sign-in comes back with a one-time code in the address's fragment, which the
// page swaps for the token (DECISIONS 6).
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { KEYS, putKey, takeKey, TTL_SECONDS } from "../../runtime/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { getAccount, type Account } from "./account.ts";
import { epochOf } from "./links.ts";

export const HandOffInput = z.object({ code: z.string().min(1).max(200) });

export async function createSessionCode(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
): Promise<string> {
  const code = ctx.random.bytes(24).toString("base64url");
  await putKey(
    dataOf(ctx, tenant).sql,
    KEYS.sessionCode(hash("sha256", code)),
    { user_id: account.id, epoch: epochOf(account) },
    TTL_SECONDS.sessionCode,
  );
  return code;
}

export async function swapSessionCode(ctx: Ctx, tenant: Tenant, code: string): Promise<Account> {
  const { sql } = dataOf(ctx, tenant);
  const kept = await takeKey<{ user_id: number; epoch: string | null }>(
    sql,
    KEYS.sessionCode(hash("sha256", code)),
  );
  if (!kept) throw new AppError("invalid_code");
  const account = await getAccount(sql, kept.user_id);
  // What ended the person's sessions in between ended this one too.
  if (account.status !== "active" || epochOf(account) !== kept.epoch)
    throw new AppError("invalid_code");
  return account;
}
