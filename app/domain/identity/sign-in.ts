// Sign-in with e-mail and password. An unknown address, a wrong password and an account without one are
// indistinguishable: the same bytes after the same work.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
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
  const [signedIn] = await sql<Account>(
    `UPDATE storefront_users SET last_login_at = now(), password_hash = coalesce($3, password_hash)
      WHERE shop = $1 AND id = $2 AND password_hash = $4 AND status = 'active'
      RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
    [account.id, rehashed, account.password_hash],
  );
  if (!signedIn) throw new AppError("invalid_credentials");
  ctx.log.info("account.signed_in", { shop: tenant.shop, user_id: account.id, method: "password" });
  return signedIn;
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
