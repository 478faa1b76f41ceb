// Proving an e-mail address by a mailed link.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { takeLink } from "./links.ts";

export const VerifyEmailInput = z.object({ token: z.string().max(500) });

export async function verifyEmail(ctx: Ctx, tenant: Tenant, token: string): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const link = await takeLink(sql, "email", token);
    // The address may have changed since the link was mailed: then it proves nothing about the new one.
    const rows = await sql("UPDATE storefront_users SET email_verified = true, updated_at = now() WHERE shop = $1 AND id = $2 AND email = $3 AND status = 'active' RETURNING id", [link.user_id, link.email ?? null]);
    if (rows.length === 0) throw new AppError("invalid_link");
    ctx.log.done("email.verified", { shop: tenant.shop, user_id: link.user_id });
  });
}
