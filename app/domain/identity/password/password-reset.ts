// A new password by a mailed link (SPEC "Password reset link", "Welcome link"). The link proves the
// mailbox, so a reset ends every session and every way in that was made while the address was not
// proven.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { inSteps } from "../../../runtime/deadlines/in-steps.ts";
import { retryOnConflict } from "../../../runtime/database/retry-on-conflict.ts";
import { normaliseMailbox } from "../../tenants/mailbox.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { emailOf, findAccountByEmail, findWaitingAccount } from "../account.ts";
import { EmailAddress } from "../email-address.ts";
import { epochOf, isLinkOpen, consumeLink } from "../links.ts";
import { enqueueMail } from "../mails.ts";
import { hashPassword, Password } from "./password.ts";
import { lockAddress, proveAddress } from "../prove-address.ts";

export const ForgotInput = z.object({ email: EmailAddress });
export const ResetInput = z.object({ token: z.string().max(500), password: Password });

/** A mail to be sent costs some milliseconds: these are more than the request takes with it. */
const REQUEST_STEP_MS = 50;

/**
 * Mails a link when an active account has this address. The caller learns nothing either way, not by
 * the time either.
 */
export const requestPasswordReset = (ctx: Ctx, tenant: Tenant, email: string): Promise<void> =>
  inSteps(REQUEST_STEP_MS, () =>
    dataOf(ctx, tenant).transaction(async (sql) => {
      const holder = await findAccountByEmail(sql, email);
      // A customer whom the store deleted leaves the address to the sign-up that waits for it.
      const isFree = holder === null || holder.status === "deleted";
      const account = isFree ? await findWaitingAccount(sql, email) : holder;
      if (account?.status === "active")
        await enqueueMail(ctx, tenant, sql, { template: "reset_password", userId: account.id });
    }),
  );

/**
 * Sets the password of the account that the link was mailed for. Throws `invalid_link`,
 * `invalid_request`.
 */
export async function resetPassword(
  ctx: Ctx,
  tenant: Tenant,
  input: z.output<typeof ResetInput>,
): Promise<void> {
  const data = dataOf(ctx, tenant);
  // Before the hash: guessed tokens must not cost a hash each.
  if (!(await isLinkOpen(data.sql, "password", input.token))) throw new AppError("invalid_link");
  const passwordHash = await hashPassword(ctx.random, input.password, tenant);
  const userId = await retryOnConflict(() =>
    data.transaction(async (sql, prisma) => {
      const link = await consumeLink(sql, "password", input.token);
      const rows = await lockAddress(sql, link.user_id);
      if (!rows || (link.epoch ?? null) !== epochOf(rows.account))
        throw new AppError("invalid_link");
      const email = emailOf(rows.account) ?? "";
      // The storefront may have changed the address since: the old mailbox does not prove the new one.
      if (
        link.email_hmac !== undefined &&
        link.email_hmac !== normaliseMailbox(ctx, tenant.shop, email)
      )
        throw new AppError("invalid_link");
      if (email && input.password.toLowerCase() === email)
        throw new AppError("invalid_request", {
          fields: { password: "must not be the email address" },
        });
      const proof = { keeps: "nothing", method: "password_reset", userAgent: null } as const;
      const tx = { sql, prisma };
      const proven = await proveAddress(ctx, tenant, tx, rows, { ...proof, passwordHash });
      if (proven === null) throw new AppError("invalid_link");
      return proven;
    }),
  );
  ctx.log.info("password.reset", { shop: tenant.shop, user_id: userId });
}
