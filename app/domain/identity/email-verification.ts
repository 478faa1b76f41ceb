// Proving an e-mail address by a mailed link.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { mailboxOf, takeLink } from "./links.ts";

export const VerifyEmailInput = z.object({ token: z.string().max(500) });

export async function verifyEmail(ctx: Ctx, tenant: Tenant, token: string): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const link = await takeLink(sql, "email", token);
    // The address may have changed since the link was mailed: then it proves nothing about the new one.
    const [account] = await sql<{ email: string }>(
      "SELECT email FROM storefront_users WHERE shop = $1 AND id = $2 AND email IS NOT NULL AND status = 'active' FOR UPDATE",
      [link.user_id],
    );
    if (!account || mailboxOf(ctx, tenant.shop, account.email) !== link.email_hmac)
      throw new AppError("invalid_link");
    await sql(
      "UPDATE storefront_users SET email_verified = true, updated_at = now() WHERE shop = $1 AND id = $2",
      [link.user_id],
    );
    ctx.log.done("email.verified", { shop: tenant.shop, user_id: link.user_id });
  });
}
