// A new password by a mailed link (SPEC "Password reset link", "Welcome link"). A reset ends every session.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findAccountByEmail, getAccount } from "./account.ts";
import { EmailAddress } from "./email-address.ts";
import { epochOf, isLinkOpen, mailboxOf, takeLink } from "./links.ts";
import { enqueueMail } from "./mails.ts";
import { hashPassword, Password } from "./password.ts";
import { END_ALL_SESSIONS } from "./sessions.ts";

export const ForgotInput = z.object({ email: EmailAddress });
export const ResetInput = z.object({ token: z.string().max(500), password: Password });

/** Sends a link when there is somebody to send it to; nobody is told which. */
export async function requestPasswordReset(ctx: Ctx, tenant: Tenant, email: string): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const account = await findAccountByEmail(sql, email);
    if (account?.status === "active")
      await enqueueMail(ctx, tenant, sql, { template: "reset_password", userId: account.id });
  });
}

/** A welcome link and a reset link are used the same way. Both prove the mailbox. */
export async function resetPassword(
  ctx: Ctx,
  tenant: Tenant,
  input: z.output<typeof ResetInput>,
): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  // Looked at before the work: a stranger's guesses should not cost us hashes.
  if (!(await isLinkOpen(sql, "password", input.token))) throw new AppError("invalid_link");
  const passwordHash = await hashPassword(ctx.random, input.password, tenant);
  const userId = await dataOf(ctx, tenant).transaction(async (tx) => {
    const link = await takeLink(tx, "password", input.token);
    const account = await getAccount(tx, link.user_id, true).catch(() => null);
    if (!account || account.status !== "active" || (link.epoch ?? null) !== epochOf(account))
      throw new AppError("invalid_link");
    // The storefront may have changed the address since: the old mailbox proves nothing about the new one.
    if (
      link.email_hmac !== undefined &&
      link.email_hmac !== mailboxOf(ctx, tenant.shop, account.email ?? "")
    )
      throw new AppError("invalid_link");
    if (account.email && input.password.toLowerCase() === account.email)
      throw new AppError("invalid_request", {
        fields: { password: "must not be the e-mail address" },
      });
    await tx(
      `UPDATE storefront_users SET password_hash = $3, email_verified = true, sessions_valid_after = ${END_ALL_SESSIONS}, updated_at = now() WHERE shop = $1 AND id = $2`,
      [account.id, passwordHash],
    );
    return account.id;
  });
  ctx.log.done("password.reset", { shop: tenant.shop, user_id: userId });
}
