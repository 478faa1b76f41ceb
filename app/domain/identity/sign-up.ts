// Sign-up with e-mail and password (SPEC "Signup flow"). Person, claims, consent rows and queue rows stand or fall together.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { isUniqueViolation, retryOnConflict } from "../../runtime/retry-on-conflict.ts";
import { recordConsent } from "../consent/record-consent.ts";
import type { ConsentType } from "../consent/consent-types.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  findAccountByEmail,
  findWaitingAccount,
  isWaiting,
  type Account,
} from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { EmailAddress } from "./email-address.ts";
import { enqueueMail } from "./mails.ts";
import { hashPassword, Password } from "./password.ts";
import { isTryLeft } from "./rate-limits.ts";

const Name = z.string().trim().max(200).optional();

export const SignUpInput = z
  .object({
    email: EmailAddress,
    password: Password,
    first_name: Name,
    last_name: Name,
    language_pref: z
      .string()
      .regex(/^[a-z]{2}(-[A-Za-z]{2,4})?$/, "must be a language code such as en")
      .optional(),
    consent_version: z.string().max(80).optional(),
    consent_tos: z.unknown().optional(),
    consent_privacy: z.unknown().optional(),
    consent_marketing: z.boolean().optional(),
    consent_cookie: z.boolean().optional(),
  })
  .refine(({ email, password }) => password.toLowerCase() !== email, {
    path: ["password"],
    message: "must not be the e-mail address",
  });

export type SignUpInput = z.output<typeof SignUpInput>;

/** How the person came: what the consent log keeps of it. */
export type Visit = { userAgent: string | null };

/** `pending`: the store lets nobody in before the address is proven, and does not say whether it is taken. */
export type SignedUp = { outcome: "created"; account: Account } | { outcome: "pending" };

export async function signUp(
  ctx: Ctx,
  tenant: Tenant,
  input: SignUpInput,
  visit: Visit,
): Promise<SignedUp> {
  if (input.consent_tos !== true || input.consent_privacy !== true)
    throw new AppError("consent_required", { fields: consentProblems(input) });
  const passwordHash = await hashPassword(ctx.random, input.password, tenant);
  const hidesTaken = tenant.config.require_email_verification;
  // Signing up and deleting in a loop must not flood a mailbox. Links that were sent before still work.
  const mayMail = await isTryLeft(ctx, tenant, { sign_up_mail_per_email: input.email });
  try {
    // Of two at once the unique index lets one through; the other runs again and finds the address taken.
    const account = await retryOnConflict(() =>
      dataOf(ctx, tenant).transaction((sql) =>
        createAccount(ctx, tenant, sql, input, { passwordHash, visit, mayMail }),
      ),
    );
    ctx.log.done("account.signed_up", {
      shop: tenant.shop,
      user_id: account.id,
      is_waiting: isWaiting(account),
    });
    return hidesTaken ? { outcome: "pending" } : { outcome: "created", account };
  } catch (error) {
    if (!(error instanceof EmailTaken) && !isUniqueViolation(error)) throw error;
    if (!hidesTaken) throw new AppError("email_taken");
    await tellOwner(ctx, tenant, input.email);
    return { outcome: "pending" };
  }
}

function consentProblems(input: SignUpInput): Record<string, string> {
  return Object.fromEntries(
    (["consent_tos", "consent_privacy"] as const)
      .filter((name) => input[name] !== true)
      .map((name) => [name, "must be true"]),
  );
}

class EmailTaken extends Error {}

/** A contact or a customer of the storefront: nobody has ever signed in to it, and nobody could. */
const isPassive = (account: Account) =>
  account.status === "active" &&
  account.password_hash === "" &&
  account.federated_sub === null &&
  account.last_login_at === null &&
  !isWaiting(account);

/**
 * A passive contact keeps the address until it is proven: the sign-up waits beside it, as a row of its own that knows
 * nothing of the contact and is pushed nowhere.
 */
async function createAccount(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  input: SignUpInput,
  { passwordHash, visit, mayMail }: { passwordHash: string; visit: Visit; mayMail: boolean },
): Promise<Account> {
  const known = await findAccountByEmail(sql, input.email, true);
  const holder = known?.status === "deleted" ? null : known;
  if (holder && !isPassive(holder)) throw new EmailTaken();
  if (await findWaitingAccount(sql, input.email)) throw new EmailTaken();
  // A customer whom the storefront deleted left the address behind: it goes to the one who signs up with it now.
  if (known && !holder)
    await sql(
      "UPDATE storefront_users SET email = NULL WHERE shop = $1 AND id = $2 AND status = 'deleted'",
      [known.id],
    );
  const fullName = [input.first_name, input.last_name].filter(Boolean).join(" ");
  const [account] = await sql<Account>(
    `INSERT INTO storefront_users (shop, email, unproven_email, password_hash, first_name, last_name, full_name, language_pref, provider, last_login_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'email', now()) RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
    [
      holder ? null : input.email,
      holder ? input.email : null,
      passwordHash,
      input.first_name || null,
      input.last_name || null,
      fullName || null,
      input.language_pref ?? null,
    ],
  );
  if (!account) throw new Error("the account was not stored");
  await storeClaims(ctx, tenant, sql, account.id, input, visit);
  if (!holder) await enqueueAccountEvent(ctx, tenant, sql, "email_signup", account.id);
  if (mayMail)
    await enqueueMail(ctx, tenant, sql, { template: "verify_email", userId: account.id });
  return account;
}

async function storeClaims(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  input: SignUpInput,
  visit: Visit,
): Promise<void> {
  const version = input.consent_version ?? tenant.config.consent_policy_version ?? null;
  await sql(
    `INSERT INTO user_claims (shop, user_id, consent_tos, consent_privacy, consent_cookie, consent_marketing, consent_version, language)
     VALUES ($1, $2, true, true, $3, $4, $5, $6)`,
    [
      userId,
      input.consent_cookie ?? false,
      input.consent_marketing ?? false,
      version,
      input.language_pref ?? null,
    ],
  );
  await sql("INSERT INTO user_extras (shop, user_id) VALUES ($1, $2)", [userId]);
  const expressed: [ConsentType, boolean | undefined][] = [
    ["tos", true],
    ["privacy", true],
    ["cookie", input.consent_cookie],
    ["marketing", input.consent_marketing],
  ];
  const consentId = ctx.random.uuid();
  await recordConsent(
    sql,
    expressed
      .filter(([, value]) => value !== undefined)
      .map(([consentType, value]) => ({
        userId,
        consentType,
        action: value ? "granted" : "revoked",
        method: "signup",
        consentVersion: version,
        consentId,
        userAgent: visit.userAgent,
        timestamp: ctx.clock.now().toISOString(),
      })),
  );
}

/** The owner of a taken address learns that somebody tried; the one who tried learns nothing. */
async function tellOwner(ctx: Ctx, tenant: Tenant, email: string): Promise<void> {
  if (!(await isTryLeft(ctx, tenant, { account_exists_mail_per_email: email }))) return;
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const owner = await findAccountByEmail(sql, email);
    if (owner?.status === "active")
      await enqueueMail(ctx, tenant, sql, { template: "account_exists", userId: owner.id });
  });
}
