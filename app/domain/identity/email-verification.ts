// Verifying an email address by a mailed link (DECISIONS 6). The link proves the mailbox, but not
// that its owner created the account: that needs a session or the account's password.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { retryOnConflict } from "../../runtime/database/retry-on-conflict.ts";
import { normaliseMailbox } from "../tenants/mailbox.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { emailOf, findAccount, type Account } from "./account.ts";
import { findLink, consumeLink } from "./links.ts";
import { hashPassword, Password, TypedPassword, verifyPassword } from "./password/password.ts";
import { lockAddress, proveAddress, type Proof } from "./prove-address.ts";
import type { Session } from "./session/sessions.ts";

export const VerifyEmailInput = z.object({
  token: z.string().max(500),
  password: TypedPassword.optional(),
});

/** What the page behind the link shows and asks for. */
export type LinkedAccount = { email: string; name: string | null; needsPassword: boolean };

/**
 * The account of a mailed link; null when the link is invalid. Reading does not use the link up.
 */
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
  const link = await findLink(sql, "email", token);
  const account = link && (await findAccount(sql, link.user_id));
  return account && isMailedTo(ctx, tenant, account, link.email_hmac) ? account : null;
}

/**
 * The address may have changed since the link was mailed: then the link does not verify the new
 * one. A verified address needs no proof: an older link must not set a password.
 */
const isMailedTo = (ctx: Ctx, tenant: Tenant, account: Account, mailbox: string | undefined) =>
  account.status === "active" &&
  !account.email_verified &&
  emailOf(account) !== null &&
  normaliseMailbox(ctx, tenant.shop, emailOf(account) ?? "") === mailbox;

/**
 * Verifies the address once. With a session of the account, or its password, the account keeps
 * everything; another password becomes the new password, and earlier unverified sign-in methods
 * end. Throws `invalid_link`, `password_required`, `invalid_request`.
 */
export async function verifyEmail(
  ctx: Ctx,
  tenant: Tenant,
  input: z.output<typeof VerifyEmailInput>,
  session: Session | null,
): Promise<void> {
  for (;;)
    try {
      return await verifyOnce(ctx, tenant, input, session);
    } catch (error) {
      if (!(error instanceof PasswordChanged)) throw error;
    }
}

/** The account has another hash than the one that was checked, as after a sign-in that made it anew: the link is not used up. */
class PasswordChanged extends Error {}

async function verifyOnce(
  ctx: Ctx,
  tenant: Tenant,
  { token, password }: z.output<typeof VerifyEmailInput>,
  session: Session | null,
): Promise<void> {
  const account = await readAccount(ctx, tenant, token);
  if (!account) throw new AppError("invalid_link");
  const claim = await readClaim(ctx, tenant, account, password, session);
  await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (sql, prisma) => {
      const link = await consumeLink(sql, "email", token);
      const rows = await lockAddress(sql, link.user_id);
      if (rows === null || !isMailedTo(ctx, tenant, rows.account, link.email_hmac))
        throw new AppError("invalid_link");
      if (rows.account.password_hash !== account.password_hash) throw new PasswordChanged();
      const proof = { ...claim, method: "verify_email", userAgent: null };
      if ((await proveAddress(ctx, tenant, { sql, prisma }, rows, proof)) === null)
        throw new AppError("invalid_link");
    }),
  );
  ctx.log.info("email.verified", { shop: tenant.shop, user_id: account.id });
}

/** How the holder of the link proves that they created the account. */
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
      fields: { password: "must not be the email address" },
    });
  return {
    keeps: "nothing",
    passwordHash: await hashPassword(ctx.random, chosen.data, tenant),
  };
}
