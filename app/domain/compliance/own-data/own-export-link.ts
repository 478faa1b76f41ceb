// A customer's own export from an extension, which can follow a link but not save a file: the link is 256 random
// bits, stored as a hash, valid once and for five minutes. The file is compiled when it is fetched.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { putKey, takeKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { AppError } from "../../../runtime/errors.ts";
import { findPerson, type Person } from "../../identity/account.ts";
import { epochOf } from "../../identity/links.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { compileExportOf } from "./own-export.ts";

export const OwnExportQuery = z.object({ token: z.string().min(1).max(100) });
const keyOf = (token: string) => KEYS.ownExportLink(hash("sha256", token));
/** `epoch`: what ended the customer's sessions since has ended the link too. */
type Link = { user_id: number; epoch?: string | null };

export async function createOwnExportLink(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Person,
): Promise<{ url: string; expires_at: string }> {
  const token = ctx.random.bytes(32).toString("base64url");
  const link: Link = { user_id: account.id, epoch: epochOf(account) };
  await putKey(dataOf(ctx, tenant).sql, keyOf(token), link, TTL_SECONDS.ownExportLink);
  const expiresAt = ctx.clock.now().getTime() + TTL_SECONDS.ownExportLink * 1_000;
  return {
    url: `${ctx.baseUrl}/customer-account/export?${new URLSearchParams({ shop: tenant.shop, token })}`,
    expires_at: new Date(expiresAt).toISOString(),
  };
}

/** Consumes the link. Throws `invalid_link`, also when the person was deleted or signed out everywhere since. */
export async function compileByOwnLink(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<{ userId: number; document: object }> {
  const { sql } = dataOf(ctx, tenant);
  const link = await takeKey<Link>(sql, keyOf(token));
  const person = link && (await findPerson(sql, link.user_id));
  if (person?.account.status !== "active" || epochOf(person.account) !== (link?.epoch ?? null))
    throw new AppError("invalid_link");
  // The link was made with the platform's own proof of the customer.
  const document = await compileExportOf(ctx, tenant, person.account, { isOwnerVerified: true });
  return { userId: person.account.id, document };
}
