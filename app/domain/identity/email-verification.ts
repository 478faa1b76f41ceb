// Proving an e-mail address by a mailed link (DECISIONS 6). The link alone proves the mailbox, and not that its owner made
// the account: that is shown by a session or by the account's password.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { retryOnConflict } from "../../runtime/retry-on-conflict.ts";
import { mailboxOf } from "../tenants/mailbox.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { emailOf, getAccount, type Account } from "./account.ts";
import { readLink, takeLink } from "./links.ts";
import { hashPassword, Password, TypedPassword, verifyPassword } from "./password.ts";
import { lockAddress, proveAddress, type Proof } from "./prove-address.ts";
import type { Session } from "./sessions.ts";

export const VerifyEmailInput = z.object({
  token: z.string().max(500),
  password: TypedPassword.optional(),
});

/** What the page behind the link has to say and to ask for. */
export type LinkedAccount = { email: string; name: string | null; needsPassword: boolean };

/** The account that a link was mailed for; null when the link opens nothing. Reading it does not use the link up. */
export async function findLinkedAccount(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
  session: Session | null,
): Promise<LinkedAccount | null> {
  const account = await readAccount(ctx, tenant, token);
  return (
    account && {
      email: emailOf(account) ?? "",
      name: account.full_name,
      needsPassword: account.password_hash !== "" && session?.account.id !== account.id,
    }
  );
}

async function readAccount(ctx: Ctx, tenant: Tenant, token: string): Promise<Account | null> {
  const { sql } = dataOf(ctx, tenant);
  const link = await readLink(sql, "email", token);
  const account = link && (await getAccount(sql, link.user_id).catch(() => null));
  return account && isMailedTo(ctx, tenant, account, link.email_hmac) ? account : null;
}

/** The address may have changed since the link was mailed: then the link proves nothing about the new one. */
const isMailedTo = (ctx: Ctx, tenant: Tenant, account: Account, mailbox: string | undefined) =>
  account.status === "active" &&
  emailOf(account) !== null &&
  mailboxOf(ctx, tenant.shop, emailOf(account) ?? "") === mailbox;

/**
 * Proves the address once. With a session of the account, or its password, the account keeps everything; with another
 * password that one becomes the password, and whatever was made before ends.
 * Throws `invalid_link`, `password_required`, `invalid_request`.
 */
export async function verifyEmail(
  ctx: Ctx,
  tenant: Tenant,
  { token, password }: z.output<typeof VerifyEmailInput>,
  session: Session | null,
): Promise<void> {
  const account = await readAccount(ctx, tenant, token);
  if (!account) throw new AppError("invalid_link");
  const claim = await readClaim(ctx, tenant, account, password, session);
  await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (sql) => {
      const link = await takeLink(sql, "email", token);
      const rows = await lockAddress(sql, link.user_id);
      const isSame = rows !== null && rows.account.password_hash === account.password_hash;
      if (!isSame || !isMailedTo(ctx, tenant, rows.account, link.email_hmac))
        throw new AppError("invalid_link");
      const proof = { ...claim, method: "verify_email", userAgent: null };
      if ((await proveAddress(ctx, tenant, sql, rows, proof)) === null)
        throw new AppError("invalid_link");
    }),
  );
  ctx.log.done("email.verified", { shop: tenant.shop, user_id: account.id });
}

/** How the one who has the link shows to have made the account. */
async function readClaim(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  password: string | undefined,
  session: Session | null,
): Promise<Pick<Proof, "keeps" | "passwordHash">> {
  if (session?.account.id === account.id) return { keeps: "everything" };
  if (account.password_hash === "") return { keeps: "nothing" };
  if (password === undefined || password === "") throw new AppError("password_required");
  const { isRight } = await verifyPassword(password, account.password_hash, tenant);
  if (isRight) return { keeps: "everything" };
  const chosen = Password.safeParse(password);
  if (!chosen.success)
    throw new AppError("invalid_request", { fields: { password: "must be 8 to 128 characters" } });
  if (chosen.data.toLowerCase() === emailOf(account))
    throw new AppError("invalid_request", {
      fields: { password: "must not be the e-mail address" },
    });
  return {
    keeps: "nothing",
    passwordHash: await hashPassword(ctx.random, chosen.data, tenant),
  };
}
