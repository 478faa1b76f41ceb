// Sign-in with email and password. An unknown address, a wrong password and an account without one are
// indistinguishable: the same bytes after the same work.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { ACCOUNT_COLUMNS, findSignInAccount, type Account } from "./account.ts";
import { EmailAddress } from "./email-address.ts";
import { enqueueMail } from "./mails.ts";
import { hashPassword, TypedPassword, verifyPassword } from "./password/password.ts";
import { tryConsume } from "./rate-limits.ts";

export const SignInInput = z.object({ email: EmailAddress, password: TypedPassword });

export async function signIn(
  ctx: Ctx,
  tenant: Tenant,
  input: z.output<typeof SignInInput>,
): Promise<Account> {
  for (;;) {
    const account = await signInOnce(ctx, tenant, input);
    if (account) return account;
  }
}

/** Null when the account's password or status changed while the password was checked: another sign-in may have stored a new hash of it. */
async function signInOnce(
  ctx: Ctx,
  tenant: Tenant,
  input: z.output<typeof SignInInput>,
): Promise<Account | null> {
  const { sql } = dataOf(ctx, tenant);
  const account = await findSignInAccount(sql, input.email);
  const { isRight, needsRehash } = await verifyPassword(
    input.password,
    account?.password_hash ?? "",
    tenant,
  );
  if (!account || !isRight || account.status === "deleted")
    throw new AppError("invalid_credentials");
  if (account.status === "suspended") throw new AppError("account_suspended");
  if (tenant.config.require_email_verification && !account.email_verified) {
    await mailNewLink(ctx, tenant, account, input.email);
    throw new AppError("email_unverified");
  }
  const rehashed = needsRehash ? await hashPassword(ctx.random, input.password, tenant) : null;
  // Only while the password is still the one that was checked: a concurrent reset wins.
  const values = [account.id, rehashed, account.password_hash];
  const [signedIn] = wasAway(ctx, tenant, account)
    ? await dataOf(ctx, tenant).transaction(async (inside) => {
        const rows = await inside<Account>(SIGN_IN, values);
        if (rows.length > 0)
          await updateSystemTags(ctx, tenant, inside, [account.id], { announce: "every_system" });
        return rows;
      })
    : await sql<Account>(SIGN_IN, values);
  if (!signedIn) return null;
  ctx.log.info("account.signed_in", { shop: tenant.shop, user_id: account.id, method: "password" });
  return signedIn;
}

const SIGN_IN = `
  UPDATE storefront_users SET last_login_at = now(), password_hash = coalesce($3, password_hash)
  WHERE shop = $1 AND id = $2 AND password_hash = $4 AND status = 'active'
  RETURNING ${ACCOUNT_COLUMNS.join(", ")}`;

/** Whether the account may have a tag that this sign-in ends; the others sign in with one statement. */
function wasAway(ctx: Ctx, tenant: Tenant, { last_login_at: lastLoginAt }: Account): boolean {
  const { inactive_after_days: inactive, at_risk_days: atRisk } = tenant.config.tag_rules;
  const days = (ctx.clock.now().getTime() - (lastLoginAt?.getTime() ?? 0)) / 86_400_000;
  return days >= Math.min(inactive, atRisk);
}

/** The first link may have expired; a person with the right password gets another. */
async function mailNewLink(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  email: string,
): Promise<void> {
  if (!(await tryConsume(ctx, tenant, { verify_mail_per_email: email }))) return;
  await dataOf(ctx, tenant).transaction((sql) =>
    enqueueMail(ctx, tenant, sql, { template: "verify_email", userId: account.id }),
  );
}
