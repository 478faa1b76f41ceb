// Mailed links: 256 random bits, stored as a hash, single use, for one purpose and one person.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { findKey, putKey, takeKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import type { Account } from "./account.ts";

/**
 * `epoch` is the account's `sessions_valid_after`: a link from before the last reset or suspension is
 * invalid.
 */
export type MailedLink = { user_id: number; epoch?: string | null; email_hmac?: string };

export const epochOf = (account: Pick<Account, "sessions_valid_after">): string | null =>
  account.sessions_valid_after?.toISOString() ?? null;

type Purpose = "password" | "email";
const keyOf = (purpose: Purpose, token: string) =>
  (purpose === "password" ? KEYS.passwordLink : KEYS.emailLink)(hash("sha256", token));

/** Returns the token, which is stored nowhere. */
export async function createLink(
  ctx: Ctx,
  sql: TenantSql,
  link: MailedLink,
  { purpose, ttlSeconds }: { purpose: Purpose; ttlSeconds: number },
): Promise<string> {
  const token = ctx.random.bytes(32).toString("base64url");
  await putKey(sql, keyOf(purpose, token), link, ttlSeconds);
  return token;
}

/** The link's content; reading does not use it up. */
export async function findLink(
  sql: TenantSql,
  purpose: Purpose,
  token: string,
): Promise<MailedLink | null> {
  return (await findKey<MailedLink>(sql, keyOf(purpose, token)))?.value ?? null;
}

export const isLinkOpen = async (sql: TenantSql, purpose: Purpose, token: string) =>
  (await findLink(sql, purpose, token)) !== null;

/** Uses the link up: of two callers one gets it, the other `invalid_link`. */
export async function consumeLink(
  sql: TenantSql,
  purpose: Purpose,
  token: string,
): Promise<MailedLink> {
  const link = await takeKey<MailedLink>(sql, keyOf(purpose, token));
  if (!link) throw new AppError("invalid_link");
  return link;
}
